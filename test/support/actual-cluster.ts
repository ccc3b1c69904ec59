// Live state made up for a test.
import type {ActualCluster, ActualGuest} from '../../src/lib/model/actual.ts'

export const actualGuest = (vmid: number, change: Partial<ActualGuest> = {}): ActualGuest => ({
  kind: 'lxc',
  vmid,
  node: 'pve1',
  name: `guest-${vmid}`,
  run: 'running',
  template: false,
  lock: undefined,
  tags: [],
  ha: {managed: false},
  config: {known: true, current: {}, pending: [], digest: ''},
  ...change,
})

export const actualCluster = (change: Partial<ActualCluster> = {}): ActualCluster => ({
  name: 'lab',
  quorum: 'quorate',
  nodes: [{name: 'pve1', online: true, listed: true}],
  guests: [],
  completeness: {complete: true},
  notes: [],
  privileges: undefined,
  ...change,
})
