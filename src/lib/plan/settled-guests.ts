// Guests that were as desired when they were planned last. One that looks just as it did then, under the same wish, is
// so still: whoever plans a large cluster again and again need not compare every option of it anew.
import type {ActualGuest, ConfigTexts, PendingChange} from '../model/actual.ts'
import type {DesiredGuest} from '../model/desired.ts'
import type {GuestPlan} from '../model/plan.ts'

export class SettledGuests {
  readonly #settled = new WeakMap<DesiredGuest, {readonly guest: ActualGuest; readonly plan: GuestPlan}>()

  /** Undefined: it has to be planned. */
  recall(desired: DesiredGuest, guest: ActualGuest): GuestPlan | undefined {
    const settled = this.#settled.get(desired)
    return settled && looksTheSame(settled.guest, guest) ? settled.plan : undefined
  }

  /** Only a plan that says nothing hangs on nothing but the wish and the guest. */
  keep(desired: DesiredGuest, guest: ActualGuest, plan: GuestPlan): void {
    if (plan.actions.length === 0 && plan.problems.length === 0) this.#settled.set(desired, {guest, plan})
    else this.#settled.delete(desired)
  }
}

function looksTheSame(a: ActualGuest, b: ActualGuest): boolean {
  return (
    a.kind === b.kind &&
    a.vmid === b.vmid &&
    a.node === b.node &&
    a.name === b.name &&
    a.run === b.run &&
    a.template === b.template &&
    a.lock === b.lock &&
    areSameTags(a.tags, b.tags) &&
    a.ha.managed === b.ha.managed &&
    (a.ha.managed !== true || b.ha.managed !== true || a.ha.state === b.ha.state) &&
    hasSameConfig(a, b)
  )
}

const areSameTags = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((tag, i) => tag === b[i])

/** What could not be read is never the same. */
function hasSameConfig({config: a}: ActualGuest, {config: b}: ActualGuest): boolean {
  return (
    a.known &&
    b.known &&
    a.digest === b.digest &&
    areSameTexts(a.current, b.current) &&
    areSamePending(a.pending, b.pending)
  )
}

function areSameTexts(a: ConfigTexts, b: ConfigTexts): boolean {
  for (const name in a) if (a[name] !== b[name]) return false
  for (const name in b) if (!(name in a)) return false
  return true
}

const areSamePending = (a: readonly PendingChange[], b: readonly PendingChange[]): boolean =>
  a.length === b.length && (a.length === 0 || JSON.stringify(a) === JSON.stringify(b))
