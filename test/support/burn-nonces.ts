// Burns nonces as another felhom would, each under the lock: DIR NAME COUNT. Those that it burned go to standard
// output, one a line; with `die` behind it is gone by SIGKILL after the last burn, with the lock in its hands.
import {isFelhomError} from '../../src/lib/model/felhom-error.ts'
import {withGateStores} from '../../src/lib/app/state/open-state.ts'

const [dir = '', name = '', count = '1', end = ''] = process.argv.slice(2)
const use = {statement: 'sha256:ab', expMs: Date.now() + 86_400_000}
const request = {
  dir,
  holder: 'felhom test',
  lockTimeoutMs: 60_000,
  warn: (text: string) => {
    throw new Error(text)
  },
}

for (let number = 0; number < Number(count); number++) {
  await withGateStores(request, async ({nonces, audit}) => {
    const nonce = `${name}-${number}`
    try {
      await nonces.burn(nonce, use)
    } catch (error) {
      if (isFelhomError(error, 'nonce_used')) return
      throw error
    }
    await audit.append({op: 'guest.destroy', class: 'destructive', nonce, signers: [], decision: 'allow'})
    process.stdout.write(`${nonce}\n`)
    if (end === 'die' && number + 1 === Number(count)) process.kill(process.pid, 'SIGKILL')
  })
}
