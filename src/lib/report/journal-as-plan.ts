// An operation in the shape of a plan, so that what was done reads as what would be done: the before-image that
// was kept against what was sent.
import type {Intent} from '../model/operation.ts'
import type {GuestPlan, OptionChange, PlannedAction} from '../model/plan.ts'

export function asGuestPlan(intent: Intent): GuestPlan {
  const action = asAction(intent)
  return {
    ...intent.target,
    name: intent.name,
    exists: intent.identity !== undefined,
    run: intent.before.run,
    liveDigest: intent.digest,
    actions: action ? [action] : [],
    unchangedOptions: 0,
    problems: [],
  }
}

/** What a plan knows and the journal does not keep: nothing is said about it. */
const UNSAID = {why: '', impact: 'none', reversible: true, needs: [], blockers: []} as const

function asAction(intent: Intent): PlannedAction | undefined {
  const {body, before} = intent
  const common = {...UNSAID, class: intent.class}
  switch (body.type) {
    case 'set-config': {
      const set = Object.entries(body.set).map(([option, after]) => asChange(intent, option, after))
      const gone = [...body.delete, ...(body.revert ?? [])]
      const removed = gone.map((option) => asChange(intent, option, undefined))
      const secrets = asSecrets(intent, body.secrets ?? [])
      return {...common, type: 'set-config', changes: [...set, ...removed, ...secrets]}
    }
    case 'create': {
      const set = Object.entries(body.options).map(([option, after]) => asChange(intent, option, after))
      const options = [...set, ...asSecrets(intent, body.secrets)]
      return {...common, type: 'create', from: body.from, options}
    }
    case 'destroy': {
      const volumes = Object.entries(before.options).flatMap(([option, text]) =>
        text === null ? [] : [{option, text}],
      )
      return {...common, type: 'destroy', volumes}
    }
    case 'resize': {
      const {disk, toBytes} = body
      if (before.sizeBytes === undefined) return undefined
      return {...common, type: 'resize', disk, fromBytes: before.sizeBytes, toBytes}
    }
    case 'job':
      return undefined
    default:
      return {...common, ...body}
  }
}

/** Of a secret the journal has the name alone. */
function asSecrets(intent: Intent, names: readonly string[]): OptionChange[] {
  return names.map((option) => ({...asChange(intent, option, undefined), secret: true}))
}

function asChange(intent: Intent, option: string, after: string | undefined): OptionChange {
  return {
    option,
    before: intent.before.options[option] ?? undefined,
    after,
    impact: 'none',
    reversible: true,
    class: intent.class,
  }
}
