// An operation between its record in the journal and its end. Whatever ends it goes through here, so that the journal
// knows it before anybody else is told; an end that could not be recorded is none.
import type {ActualGuest} from '../model/actual.ts'
import {identifyGuest} from '../model/identity.ts'
import type {Ending, JournaledIntent} from '../model/operation.ts'
import type {Upid} from '../model/upid.ts'
import {ended, type Ended} from './ended.ts'
import {describeError, type Run} from './run-context.ts'

type Settlement = 'succeeded' | 'satisfied' | 'failed' | 'superseded'

export class Underway {
  readonly intent: JournaledIntent
  readonly run: Run
  #upid: Upid | undefined

  constructor(intent: JournaledIntent, run: Run) {
    this.intent = intent
    this.run = run
  }

  /** `created`: the guest that the operation has made. */
  async settle(state: Settlement, reason: string, created?: ActualGuest): Promise<Ended> {
    const ending: Ending = {state, by: 'engine', reason, ...this.#identityOf(created)}
    try {
      await this.run.options.journal.settle(this.intent.op, ending)
    } catch (error) {
      this.run.fail(error)
      return this.leave(`its end could not be recorded: ${describeError(error)}`)
    }
    const outcome = state === 'superseded' ? 'stale' : state
    return ended(outcome, reason, {...this.#names(), ...(created && {created})})
  }

  /** Leaves it open: how it ends is for recover to find out. */
  leave(why: string): Ended {
    return ended('in_flight', `${why}; felhom recover finds out how it ends`, this.#names())
  }

  /** False: it could not be recorded, and the run is over. */
  async recordTask(upid: Upid): Promise<boolean> {
    const {intent, run} = this
    this.#upid = upid
    try {
      await run.options.journal.taskRunning(intent.op, upid.text)
    } catch (error) {
      run.fail(error)
      return false
    }
    const {kind, vmid} = intent.target
    run.emit({type: 'task_started', guest: {kind, vmid}, op: intent.op, upid: upid.text})
    return true
  }

  #identityOf(created: ActualGuest | undefined): Pick<Ending, 'identity'> {
    if (created?.config.known !== true) return {}
    return {identity: identifyGuest(this.intent.target, created.config.current)}
  }

  #names(): {op: string; upid?: string} {
    return {op: this.intent.op, ...(this.#upid && {upid: this.#upid.text})}
  }
}
