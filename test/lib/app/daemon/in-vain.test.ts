// What a pass does over and over although nothing comes of it, and signatures that it must not use up for nothing.
import {expect} from 'chai'
import {findAlerts, NOTHING_TOLD} from '../../../../src/lib/app/daemon/tell/find-alerts.ts'
import {hasEnded} from '../../../../src/lib/app/daemon/tell/alert-matters.ts'
import type {PassReport} from '../../../../src/lib/model/daemon.ts'
import type {DesiredGuest} from '../../../../src/lib/model/desired.ts'
import {desiredGuest} from '../../../support/desired-guest.ts'
import {DAY_MS} from '../../../support/gate-bench.ts'
import {PassBench} from '../../../support/pass-bench.ts'

const MINUTE_MS = 60_000
const DESTROY = {type: 'destroy', volumes: []} as const
const NONCE = Buffer.alloc(16, 1).toString('base64url')

const copyOf = (source: number, vmid: number, kind: 'lxc' | 'qemu', node: string): DesiredGuest =>
  desiredGuest(
    vmid,
    {},
    {
      ...{kind, nodes: [node], run: 'stopped' as const},
      create: {
        from: {clone: source, full: true},
        storage: 'local-lvm',
        place: {file: 'guests.yaml', line: 1, column: 1},
      },
    },
  )
const outcomesOf = ({results}: PassReport): string[] =>
  results.map(({guest, action, outcome}) => `${guest.vmid} ${action.type} ${outcome}`)
const nonceOf = (bench: PassBench): Promise<string> => bench.look(({nonces}) => nonces.state(NONCE))

/** The changes of each of so many passes, a minute apart. */
async function sentIn(passes: number, bench: PassBench): Promise<string[][]> {
  const sent: string[][] = []
  for (let i = 0; i < passes; i++) {
    await bench.pass()
    sent.push(bench.sent())
    await bench.clock.run(bench.clock.sleep(MINUTE_MS))
  }
  return sent
}

/** Starts it again whenever somebody looks at it after it was shut down. */
function startAgain(bench: PassBench, vmid: number): void {
  let isShut = false
  bench.bench.fault = ({path, method}) => {
    const guest = bench.bench.sandbox.cluster.state.guests.get(vmid)
    if (method === 'POST' && path.endsWith('/shutdown')) isShut = true
    if (isShut && method === 'GET' && path.endsWith(`/${vmid}/status/current`)) {
      if (guest?.runtime.status === 'stopped')
        guest.runtime = {status: 'running', pid: 1, startedMs: 1767222000000}
    }
    return undefined
  }
}

describe('a signature', () => {
  it('is not used up for a guest whose copy has not come to its end', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.desired = [copyOf(190, 301, 'lxc', 'pve1')]
    bench.jobs = [await bench.sign(190, DESTROY)]
    bench.bench.fault = ({path, method}) =>
      method === 'POST' && path.endsWith('/190/clone') ? {kind: 'reset', when: 'before'} : undefined
    for (let i = 0; i < 2; i++) {
      const {jobs} = await bench.pass()
      expect(jobs.map(({outcome}) => outcome)).to.deep.equal(['frozen'])
      expect(await nonceOf(bench)).to.equal('fresh')
    }
  })

  it('is not used up once the daemon is told to end', async () => {
    for (let at = 1; at <= 3; at++) {
      const bench = await PassBench.make({mode: 'full'})
      bench.jobs = [await bench.sign(150, DESTROY)]
      let reads = 0
      bench.bench.fault = ({path}) => {
        if (path.endsWith('/lxc/150/snapshot') && ++reads === at) bench.stop.abort()
        return undefined
      }
      const {jobs} = await bench.pass()
      expect(bench.sent(), `at reading ${at}`).to.deep.equal([])
      expect(await nonceOf(bench), `at reading ${at}`).to.equal('fresh')
      expect(jobs.every((job) => !hasEnded(job))).to.equal(true)
    }
  })
})

describe('copies of one guest', () => {
  for (const [kind, source, node] of [
    ['qemu', 290, 'pve2'],
    ['lxc', 190, 'pve1'],
  ] as const)
    it(`are made one after the other: ${kind}`, async () => {
      const bench = await PassBench.make({mode: 'full'})
      bench.desired = [copyOf(source, 301, kind, node), copyOf(source, 302, kind, node)]
      const report = await bench.pass()
      expect(outcomesOf(report)).to.deep.equal(['301 create succeeded', '302 create succeeded'])
      expect(report.open).to.deep.equal([])
    })

  it('are made before it is destroyed', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.desired = [
      desiredGuest(290, {}, {kind: 'qemu', ensure: 'absent'}),
      copyOf(290, 301, 'qemu', 'pve2'),
      copyOf(290, 302, 'qemu', 'pve2'),
    ]
    bench.approvals = [await bench.sign(290, DESTROY)]
    const first = await bench.pass()
    expect(outcomesOf(first)).to.deep.equal([
      '290 destroy blocked',
      '301 create succeeded',
      '302 create succeeded',
    ])
    expect(first.results[0]?.detail).to.match(/^qemu\/301 is still to be copied from it/)
    expect(await nonceOf(bench)).to.equal('fresh')
    expect(outcomesOf(await bench.pass())).to.deep.equal(['290 destroy succeeded'])
  })
})

describe('what comes to nothing', () => {
  it('is not restarted in every pass', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.desired = [desiredGuest(200, {cores: '1'}, {kind: 'qemu', restart: 'allowed'})]
    let isWritten = false
    bench.bench.fault = ({path, method}) => {
      const guest = bench.bench.sandbox.cluster.state.guests.get(200)
      if (method !== 'GET' && path.endsWith('/200/config')) isWritten = true
      else if (isWritten && guest) {
        guest.config['cores'] = '2'
        guest.pending = {cores: '1'}
      }
      return undefined
    }
    const restarts = (await sentIn(6, bench)).map(
      (sent) => sent.filter((line) => line.includes('reboot')).length,
    )
    expect(restarts).to.deep.equal([1, 1, 1, 0, 1, 0])
  })

  it('shuts no guest down in every pass, be it signed as a job or as an approval', async () => {
    for (const how of ['job', 'approval'] as const) {
      const bench = await PassBench.make({mode: 'full'})
      const signed = [await bench.sign(102, DESTROY)]
      if (how === 'job') bench.jobs = signed
      else {
        bench.approvals = signed
        bench.desired = [desiredGuest(102, {}, {ensure: 'absent'})]
      }
      startAgain(bench, 102)
      const shut = (await sentIn(6, bench)).map(
        (sent) => sent.filter((line) => line.includes('shutdown')).length,
      )
      expect(
        shut.reduce((sum, one) => sum + one, 0),
        `${how}: ${shut.join(' ')}`,
      ).to.equal(3)
    }
  })

  it('stays in mind although the source leaves the job out for a while', async () => {
    const bench = await PassBench.make({mode: 'full'})
    const jobs = [await bench.sign(102, DESTROY)]
    bench.bench.fault = ({path}) =>
      path.endsWith('/status/shutdown') ? {kind: 'status', when: 'before', status: 403} : undefined
    let tries = 0
    for (let i = 0; i < 8; i++) {
      bench.jobs = i % 2 === 0 ? jobs : []
      await bench.pass()
      tries += bench.sent().length
      await bench.clock.run(bench.clock.sleep(MINUTE_MS))
    }
    expect(tries).to.equal(3)
  })
})

describe('a job that is refused for good', () => {
  it('stays so in the passes that follow, and is told once', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.jobs = [await bench.sign(150, DESTROY)]
    const guest = bench.bench.sandbox.cluster.state.guests.get(150)
    if (guest) guest.config['description'] = 'changed since'
    let memory = NOTHING_TOLD
    const alerts: string[] = []
    for (let i = 0; i < 3; i++) {
      const report = await bench.pass()
      expect(report.jobs.map(({outcome, refusal}) => `${outcome} ${refusal ?? ''}`)).to.deep.equal([
        'refused binding_mismatch',
      ])
      const found = findAlerts(memory, report, {staleAfterMs: DAY_MS, trustWarningMs: DAY_MS})
      memory = found.memory
      alerts.push(...found.alerts.map(({kind}) => kind))
    }
    expect(alerts).to.deep.equal(['job_ended'])
  })
})

describe('a write that lost a race', () => {
  it('is told as begun and as ended, and the next try too', async () => {
    const bench = await PassBench.make({mode: 'full'})
    bench.desired = [desiredGuest(101, {memory: '1234'})]
    let isFirst = true
    bench.bench.fault = ({path, method}) => {
      if (method === 'GET' || !path.endsWith('/101/config') || !isFirst) return undefined
      isFirst = false
      return {
        kind: 'status',
        when: 'before',
        status: 500,
        text: 'detected modified configuration - try again',
      }
    }
    const {results} = await bench.pass()
    const events = bench.told.flatMap((told) => {
      if (told.type !== 'run') return []
      const {event} = told
      if (event.type === 'action_started') return [`${event.op.at(-1) ?? ''} started`]
      return event.type === 'action_ended' ? [`${event.result.op?.at(-1) ?? ''} ${event.result.outcome}`] : []
    })
    expect(events).to.deep.equal(['1 started', '1 stale', '2 started', '2 succeeded'])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
  })
})
