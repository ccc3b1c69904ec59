// Ways of keeping a daemon wrong, each of which looks reasonable. They replace a part of its world; the simulated day
// must notice every one of them.
import type {PassMemory, PassWorld} from '../../src/lib/app/daemon/pass-world.ts'
import type {KeeperOptions} from '../../src/lib/app/daemon/source/keep-source.ts'
import type {MakePass} from '../../src/lib/app/daemon/ports.ts'
import type {Suspension} from '../../src/lib/model/daemon.ts'
import type {Source} from '../../src/lib/source/source.ts'
import {overlay} from './policies.ts'
import type {World} from './world.ts'

export interface DaemonPolicy {
  pass?(pass: PassWorld): PassWorld
  makePass?(makePass: MakePass, world: World): MakePass
  /** Before each pass. */
  memory?(memory: PassMemory): void
  keeper?(options: KeeperOptions): KeeperOptions
  readonly takesNoLock?: true
  readonly ignoresReload?: true
}

/** Whether it is the hour was looked at when the pass began. */
const permissionOfTheBeginning: DaemonPolicy = {
  pass: (pass) => ({
    ...pass,
    openGate: (circumstances) => {
      const withheld = new Map<string, string | undefined>()
      const {withhold} = circumstances
      for (const type of ['start', 'shutdown'] as const)
        for (const gateClass of ['benign', 'destructive'] as const)
          for (const impact of ['none', 'live', 'restart', 'outage'] as const)
            withheld.set(`${gateClass} ${impact}`, withhold({type, impact}, gateClass, {vmid: 0}))
      return pass.openGate({
        ...circumstances,
        withhold: ({impact}, gateClass) => withheld.get(`${gateClass} ${impact}`),
      })
    },
  }),
}

/** A pass that takes long must not hold up the next one. */
const impatientLoop: DaemonPolicy = {
  makePass: (makePass, {clock}) => {
    let last: Awaited<ReturnType<MakePass>> | undefined
    return (pass) => {
      const made = makePass(pass).then((report) => (last = report))
      const tired = clock.sleep(20_000).then(() => last ?? made)
      return Promise.race([made, tired])
    }
  },
}

/** There is nobody else on this machine. */
const noLock: DaemonPolicy = {takesNoLock: true}

/** The gate may have changed its mind. */
const asksEachTime: DaemonPolicy = {
  memory: (memory) => {
    memory.refusals = new Set()
    memory.jobRefusals.clear()
  },
}

/** People know what they delete. */
const shrinkIgnored: DaemonPolicy = {keeper: (options) => ({...options, maxShrink: 1})}

/** What the source says now is what counts. */
const rollbackIgnored: DaemonPolicy = {
  keeper: (options) => ({
    ...options,
    source: options.source && {
      ...options.source,
      fetch: async (...asked: Parameters<Source['fetch']>) => {
        const fetched = await (options.source as Source).fetch(...asked)
        return fetched.kind === 'bundle' ? {kind: 'bundle', bundle: fetched.bundle} : fetched
      },
    },
  }),
}

/** Suspended is what was suspended when the daemon was started. */
const suspensionsOfTheStart: DaemonPolicy = {pass: (pass) => ({...pass, readSuspensions: () => []})}

/** Nobody is suspended while a pass is under way. */
const suspensionsOfThePass: DaemonPolicy = {
  pass: (pass) => {
    let suspended: readonly Suspension[] = []
    return {
      ...pass,
      openState: async (access) => {
        const state = await pass.openState(access)
        suspended = pass.readSuspensions()
        return state
      },
      readSuspensions: () => suspended,
    }
  },
}

/** What was open at the start was settled then. */
const recoversAtTheStart: DaemonPolicy = {
  pass: (pass) => {
    let passes = 0
    return {
      ...pass,
      openState: async (access) => {
        const state = await pass.openState(access)
        if (++passes === 1) return state
        return {...state, journal: overlay(state.journal, {openOperations: () => []})}
      },
    }
  },
}

/** Settings are read at the start. */
const reloadIgnored: DaemonPolicy = {ignoresReload: true}

/** What was told once need never be told again. */
const remembersForEver: DaemonPolicy = {
  memory: ({toldJobs}) => {
    toldJobs.delete = () => false
  },
}

export const WRONG_DAEMONS: Readonly<Record<string, DaemonPolicy>> = {
  'permission of the beginning': permissionOfTheBeginning,
  'impatient loop': impatientLoop,
  'no lock': noLock,
  'asks each time': asksEachTime,
  'shrink ignored': shrinkIgnored,
  'rollback ignored': rollbackIgnored,
  'suspensions of the start': suspensionsOfTheStart,
  'suspensions of the pass': suspensionsOfThePass,
  'recovers at the start only': recoversAtTheStart,
  'reload ignored': reloadIgnored,
  'remembers for ever': remembersForEver,
}
