// The gate as a signed job meets it. For a job it is not enough that nothing can be lost by it, or that what can be lost
// is of our own making: nobody asks for it but its signature, so that without one nothing is done at all.
import type {Gate, GateRequest, Inspection, Refusal, Weighed} from '../../../gate/gate.ts'

type InspectingGate = Gate & {inspect(request: GateRequest, weighed?: Weighed): Promise<Inspection>}

/** Lets pass what the approval with this nonce allows, and a shutdown ahead of it; all else is refused. */
export function requireSignature(gate: InspectingGate, nonce: string): Gate {
  let isVouchedFor = false

  /**
   * Before the gate is asked: its yes could burn the approval of somebody else, or be heard in the audit. Of rules of
   * plugins what they have answered is taken: whoever asks them again may not trust what was read before.
   */
  async function findLack(request: GateRequest, weighed?: Weighed): Promise<Refusal | undefined> {
    const {class: gateClass, approved} = await gate.inspect(request, weighed)
    if (gateClass !== 'destructive') return UNSIGNED
    return approved && approved.statement.nonce !== nonce ? ANOTHERS : undefined
  }

  return {
    weigh: (request) => gate.weigh?.(request) ?? Promise.resolve(undefined),
    async preview(request) {
      const refusal = (await findLack(request)) ?? (await gate.preview(request))
      isVouchedFor = !refusal
      return refusal
    },
    async authorize(...asked) {
      const [request, weighed] = asked
      const isAhead = request.action.type === 'shutdown'
      const lack = isAhead ? (isVouchedFor ? undefined : UNSIGNED) : await findLack(request, weighed)
      if (lack) return {allowed: false, refusal: lack}
      const verdict = await gate.authorize(...asked)
      if (!verdict.allowed || isAhead) return verdict
      const {class: gateClass, key} = verdict.authorized
      // It may be another answer than a moment ago.
      return gateClass === 'destructive' && key === nonce ? verdict : {allowed: false, refusal: UNSIGNED}
    },
  }
}

const UNSIGNED: Refusal = {
  code: 'pending_signature',
  message: 'a job is carried out under its own signature alone, and this needs none or has none',
}

const ANOTHERS: Refusal = {
  code: 'pending_signature',
  message: 'a job is carried out under its own signature alone, and what allows this is another approval',
}
