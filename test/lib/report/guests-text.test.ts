import {expect} from 'chai'
import type {PendingChange} from '../../../src/lib/model/actual.ts'
import {renderGuests} from '../../../src/lib/report/guests-text.ts'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {actualCluster, actualGuest} from '../../support/actual-cluster.ts'

const plain = makePalette(false)
const pending = (...options: string[]): PendingChange[] =>
  options.map((option) => ({option, kind: 'set', value: '1'}))

describe('the table of guests', () => {
  const guests = [
    actualGuest(100, {name: undefined, run: 'stopped', template: true}),
    actualGuest(101, {ha: {managed: true, state: 'started'}, lock: 'backup'}),
    actualGuest(102, {kind: 'qemu', run: 'paused', config: {known: false, reason: 'x'}}),
    actualGuest(103, {
      config: {
        known: true,
        current: {},
        digest: '',
        pending: [
          ...pending('cores', 'memory', 'onboot'),
          {option: 'nameserver', kind: 'delete', force: false},
        ],
      },
    }),
  ]

  it('says that there are none', () => {
    expect(renderGuests(actualCluster(), plain)).to.equal('No guests.')
  })

  it('shows templates, HA, locks, unreadable configs and every pending change', () => {
    expect(renderGuests(actualCluster({guests}), plain).split('\n')).to.deep.equal([
      'KIND  VMID  NAME       NODE  STATE        LOCK    PENDING',
      'lxc   100   -          pve1  template     -       -',
      'lxc   101   guest-101  pve1  running, ha  backup  -',
      'qemu  102   guest-102  pve1  paused       -       config unreadable',
      'lxc   103   guest-103  pve1  running      -       cores memory onboot -nameserver',
      '',
      '4 guests on 1 node, 2 running, 1 with changes that wait for a restart.',
    ])
  })

  it('marks those that the daemon leaves alone', () => {
    const suspended = (vmid: number | 'all'): (string | undefined)[] =>
      renderGuests(actualCluster({guests}), plain, Infinity, [{vmid, sinceMs: 0, by: 'root@pve1'}])
        .split('\n')
        .slice(1, 5)
        .map((line) => line.split(/ {2,}/)[4])
    expect(suspended(101)).to.deep.equal(['template', 'running, ha, daemon suspended', 'paused', 'running'])
    expect(suspended('all')[2]).to.equal('paused, daemon suspended')
  })

  it('shortens pending changes to the room there is, down to their number', () => {
    const last = (width: number): string | undefined =>
      renderGuests(actualCluster({guests}), plain, width).split('\n')[4]?.slice(50)
    expect(last(81)).to.equal('cores memory onboot -nameserver')
    expect(last(80)).to.equal('cores memory onboot +1 more')
    expect(last(70)).to.equal('cores memory +2 more')
    expect(last(66)).to.equal('cores +3 more')
    expect(last(60)).to.equal('4 changes')
  })

  it('cuts a very long name on a terminal, and never for a pipe', () => {
    const name = 'a-very-long-name.'.repeat(5)
    const table = (width?: number): string =>
      renderGuests(actualCluster({guests: [actualGuest(100, {name})]}), plain, width)
    expect(table()).to.contain(name)
    expect(table(80)).to.contain(`${name.slice(0, 31)}…  pve1`)
  })
})
