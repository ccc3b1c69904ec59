// The sandbox's core without HTTP, on virtual time: how many short lives of a cluster fit into a minute. A
// simulation stands on this.
import {readFileSync} from 'node:fs'
import {Api, Cluster, VirtualClock, loadSeed} from '../src/lib/sandbox/index.ts'
import {median, type Outcome} from './harness.ts'

const seed: unknown = JSON.parse(
  readFileSync(new URL('../test/fixtures/pve/scenarios/seed.json', import.meta.url), 'utf8'),
)
const headers = {authorization: 'PVEAPIToken=root@pam!felhom=11111111-2222-3333-4444-555555555555'}
const form = {...headers, 'content-type': 'application/x-www-form-urlencoded'}

/** A fresh cluster: lists, configs, a change, a start that is awaited, and the change read back. */
async function runOnce(): Promise<void> {
  const clock = new VirtualClock()
  const api = new Api(new Cluster(loadSeed(seed), clock))
  const ask = async (method: string, path: string, body?: string): Promise<string> => {
    const request = {method, url: `/api2/json${path}`, headers: body === undefined ? headers : form}
    const answer = await clock.run(api.handle(body === undefined ? request : {...request, body}))
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${String(answer.status)} ${answer.reason}`)
    return answer.text
  }
  await ask('GET', '/nodes')
  for (const kind of ['lxc', 'qemu']) await ask('GET', `/nodes/pve/${kind}`)
  for (const vmid of [100, 101, 102, 103]) await ask('GET', `/nodes/pve/lxc/${String(vmid)}/pending`)
  await ask('PUT', '/nodes/pve/lxc/102/config', 'cores=1&memory=512&tags=a%3Bb')
  const {data: upid} = JSON.parse(await ask('POST', '/nodes/pve/lxc/102/status/start', '')) as {data: string}
  await clock.advance(2000)
  const status = await ask('GET', `/nodes/pve/tasks/${encodeURIComponent(upid)}/status`)
  if (!status.includes('"exitstatus":"OK"')) throw new Error(status)
  await ask('GET', '/nodes/pve/lxc/102/pending')
}

const GOAL_PER_MINUTE = 3000

export async function benchSandboxCore(rounds: number): Promise<Outcome[]> {
  await runOnce()
  const perMinute: number[] = []
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    for (let i = 0; i < 50; i++) await runOnce()
    perMinute.push((50 * 60_000) / (performance.now() - started))
  }
  const value = median(perMinute)
  const detail = `${value.toFixed(0)} lives of a cluster a minute, of 12 calls each, against ${String(GOAL_PER_MINUTE)}`
  return [
    {
      metric: 'sandbox core on virtual time',
      value: value / GOAL_PER_MINUTE,
      goal: 1,
      better: 'larger',
      detail,
    },
  ]
}
