// Writes a request into a machine's config, option by option: first what is deleted, then what is set. Each option
// is written before the next is looked at, so a request that fails halfway has done its first half.
import {bootDevices} from './boot-order.ts'
import {loadConf, storeConf} from './conf.ts'
import {deleteOption} from './delete-option.ts'
import {setOption} from './set-option.ts'
import type {UpdateRequest} from './update-request.ts'
import type {Writing} from './writing.ts'
import type {Guest} from '../../state.ts'

/** Returns the options that were touched. */
export function writeOptions(work: Writing['work'], guest: Guest, request: UpdateRequest): Set<string> {
  const boot = loadConf(guest).config['boot']
  const writing: Writing = {work, guest, request, modified: new Set(), bootOrder: bootDevices(boot)}
  for (const option of request.deletions) {
    const conf = loadConf(guest)
    if (deleteOption(writing, conf, option)) storeConf(guest, conf)
  }
  for (const option of Object.keys(request.settings).sort()) {
    const conf = loadConf(guest)
    writing.modified.add(option)
    const value = request.settings[option] ?? ''
    if (conf.pending[option] === value) continue
    setOption(writing, conf, option, value)
    storeConf(guest, conf)
  }
  return writing.modified
}
