// For random guests, as they are and as they are desired, over all options of both kinds: after an apply by the real
// planner, engine, writer and reader on the sandbox, nothing is left to do but what is blocked or waits for a restart,
// and then the plan says so. FELHOM_RUNS and FELHOM_SEED make it longer or other; a failure prints how to repeat it.
import {expect} from 'chai'
import fc from 'fast-check'
import {desiredGuest, type Written} from '../support/desired-guest.ts'
import {apply, expectConverged, makeBench, realBench, type Applied} from './apply-guest.ts'
import {arbitraryCase, arbitraryNewGuest, valuePools, type History} from './arbitrary-guest.ts'

const RUNS = Number(process.env['FELHOM_RUNS'] ?? 600)
const SEED = Number(process.env['FELHOM_SEED'] ?? 1)

describe('apply, then plan', () => {
  it('draws from nearly every option of both kinds', () => {
    expect(valuePools.lxc.size + valuePools.qemu.size).to.be.greaterThan(90)
  })

  /** Proxmox refuses some combinations of values that it takes one by one; most must go through. */
  async function check<T>(
    runs: number,
    arbitrary: fc.Arbitrary<T>,
    work: (value: T) => Promise<Applied>,
  ): Promise<void> {
    let whole = 0
    let failed = 0
    await fc.assert(
      fc.asyncProperty(arbitrary, async (value) => {
        const applied = await work(value)
        if (expectConverged(applied)) whole++
        else if (applied.result.counts.failed > 0) failed++
      }),
      {seed: SEED, numRuns: runs},
    )
    expect(whole / runs).to.be.greaterThan(0.6)
    expect(failed / runs).to.be.lessThan(0.15)
  }

  it('is empty, or says what is blocked or waits for a restart', () =>
    check(RUNS, arbitraryCase, async (one) => apply(await makeBench(one), one.desired))).timeout(RUNS * 500)

  it('is empty after a guest was made, from nothing, a template or another guest', () =>
    check(RUNS / 4, arbitraryNewGuest, (desired) => apply(realBench(), desired))).timeout(RUNS * 500)
})

interface Found {
  readonly kind: 'lxc' | 'qemu'
  readonly vmid: number
  readonly history?: History
  readonly wanted: Record<string, Written>
  readonly more?: Parameters<typeof desiredGuest>[2]
}

/** Counterexamples of earlier days. */
const FOUND: Record<string, Found> = {
  'an option of a container is removed that only waits to be set': {
    ...{kind: 'lxc', vmid: 101, history: [['nameserver', '192.0.2.1']]},
    wanted: {nameserver: null},
  },
  'an option of a container is removed that is set, and waits to be set otherwise': {
    ...{kind: 'lxc', vmid: 101, history: [['features', 'nesting=on']]},
    ...{wanted: {features: null}, more: {restart: 'allowed'}},
  },
  'a disk grows whose change waits for the restart': {
    ...{kind: 'lxc', vmid: 101, wanted: {mp0: {mp: '/elsewhere', size: '1G'}}, more: {restart: 'allowed'}},
  },
  'a disk of a machine grows whose change waits until it stops': {
    ...{kind: 'qemu', vmid: 200, wanted: {scsi0: {iothread: '1', size: '2G'}}, more: {run: 'stopped'}},
  },
  'a CD drive is added, which Proxmox adds to the boot order that was wanted without it': {
    ...{kind: 'qemu', vmid: 201, wanted: {ide2: 'none,media=cdrom', boot: 'order=scsi0;net0'}},
  },
  'a CD drive, a boot order and the older name for the boot disk are wanted together': {
    ...{kind: 'qemu', vmid: 201},
    wanted: {ide2: 'none,media=cdrom', boot: 'order=scsi0', bootdisk: 'scsi0'},
  },
  'a Windows machine shall have no machine type, which Proxmox pins': {
    ...{kind: 'qemu', vmid: 201, wanted: {machine: null, ostype: 'win11'}},
  },
  'the medium changes of a CD drive that waits to be added': {
    ...{kind: 'qemu', vmid: 200, history: [['ide2', 'cdrom,media=cdrom']]},
    ...{wanted: {ide2: {file: 'none'}}, more: {restart: 'allowed'}},
  },
  'a value waits that is the default, and the default is wanted': {
    ...{kind: 'lxc', vmid: 101, history: [['debug', '1']]},
    ...{wanted: {debug: '0'}, more: {restart: 'allowed'}},
  },
}

describe('apply, then plan, is empty when', () => {
  for (const [title, {kind, vmid, history = [], wanted, more}] of Object.entries(FOUND)) {
    it(title, async () => {
      const desired = desiredGuest(vmid, wanted, {kind, ...more})
      const bench = await makeBench({guest: {kind, node: 'pve', vmid}, history, desired})
      const {result, after} = await apply(bench, desired)
      expect(result.results.map(({outcome}) => outcome)).to.include('succeeded')
      expect(after.guests).to.deep.equal([])
    })
  }
})
