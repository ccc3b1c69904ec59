import {expect} from 'chai'
import fc from 'fast-check'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import * as answers from '../../../src/lib/pve/answers.ts'

const DIGEST = '03b9edaa3c83619d4bfad3791b3700644724b8c3'
const UPID = 'UPID:pve:00000001:00000002:60000000:vzstart:102:root@pam!felhom:'

const badAnswer = (work: () => unknown, place: string): void => {
  expect(work)
    .to.throw()
    .that.satisfies((error: FelhomError) => error.code === 'bad_answer' && error.message.startsWith(place))
}

describe('the answer about the cluster', () => {
  it('has a cluster row with its quorum', () => {
    const data = [
      {type: 'cluster', name: 'lab', quorate: 0, nodes: 2, version: 2},
      {type: 'node', name: 'pve1', online: 1},
      {type: 'node', name: 'pve2', online: '0'},
    ]
    expect(answers.readClusterStatus(data)).to.deep.equal({
      cluster: {name: 'lab', quorate: false},
      nodes: [
        {name: 'pve1', online: true},
        {name: 'pve2', online: false},
      ],
    })
  })

  it('has none of a standalone node', () => {
    const {cluster} = answers.readClusterStatus([{type: 'node', name: 'pve', online: 1, local: 1}])
    expect(cluster).to.equal(undefined)
  })

  it('is refused with its place where it cannot be meant', () => {
    badAnswer(() => answers.readClusterStatus({}), 'cluster status: expected a list')
    badAnswer(() => answers.readClusterStatus([null]), 'cluster status[0]: expected an object')
    badAnswer(
      () => answers.readClusterStatus([{type: 'pod'}]),
      'cluster status[0].type: expected cluster or node',
    )
    badAnswer(() => answers.readNodeRows([{node: 'a/b', status: 'online'}]), 'nodes[0].node')
    badAnswer(() => answers.readNodeRows([{node: 'a', status: 'up'}]), 'nodes[0].status')
  })
})

describe('the list of guests', () => {
  const read = (row: object) => answers.readGuestRows([{vmid: 101, status: 'running', ...row}])[0]

  it('is read with numbers as texts, flags as numbers, and absent values', () => {
    expect(read({vmid: '101', name: 'web', template: '', tags: 'a;b, c', lock: 'backup'})).to.deep.equal({
      vmid: 101,
      name: 'web',
      run: 'running',
      template: false,
      lock: 'backup',
      tags: ['a', 'b', 'c'],
    })
    expect(read({name: 101, template: 1, lock: null})).to.include({
      name: '101',
      template: true,
      lock: undefined,
    })
  })

  it('knows a paused machine from a running one', () => {
    expect(read({})?.run).to.equal('running')
    expect(read({qmpstatus: 'running'})?.run).to.equal('running')
    expect(read({qmpstatus: 'paused'})?.run).to.equal('paused')
    expect(read({qmpstatus: 'prelaunch'})?.run).to.equal('paused')
    expect(read({qmpstatus: 'internal-error'})?.run).to.equal('unknown')
    expect(read({status: 'stopped', qmpstatus: 'stopped'})?.run).to.equal('stopped')
    expect(read({status: 'unknown'})?.run).to.equal('unknown')
  })

  it('is refused where a number, a state or a flag cannot be meant', () => {
    for (const vmid of [undefined, null, 99, '99', 'x', '0101x', 1e12, 1.5, {}, [], true]) {
      badAnswer(() => read({vmid}), 'guests[0].vmid')
    }
    badAnswer(() => read({status: 'sleeping'}), 'guests[0].status')
    badAnswer(() => read({template: 'yes'}), 'guests[0].template')
    badAnswer(() => read({name: {}}), 'guests[0].name')
  })
})

describe('the config of a guest', () => {
  it('holds current texts, waiting changes and the digest', () => {
    const config = answers.readPendingConfig([
      {key: 'memory', value: 512, pending: 1024},
      {key: 'digest', value: DIGEST},
      {key: 'nameserver', pending: '192.0.2.1'},
      {key: 'cores', value: '2', delete: 1},
      {key: 'hostname', value: 'web'},
      {key: 'mp0', delete: '2'},
      {key: 'cpulimit', value: 1.5},
      {key: 'onboot', value: 0},
      {key: 'tags', value: null},
    ])
    expect({...config.current}).to.deep.equal({
      memory: '512',
      cores: '2',
      hostname: 'web',
      cpulimit: '1.5',
      onboot: '0',
    })
    expect(config.pending).to.deep.equal([
      {option: 'cores', kind: 'delete', force: false},
      {option: 'memory', kind: 'set', value: '1024'},
      {option: 'mp0', kind: 'delete', force: true},
      {option: 'nameserver', kind: 'set', value: '192.0.2.1'},
    ])
    expect(config.digest).to.equal(DIGEST)
  })

  it('keeps hostile option names harmless', () => {
    const config = answers.readPendingConfig([
      {key: '__proto__', value: 'x'},
      {key: 'digest', value: DIGEST},
    ])
    expect(Object.keys(config.current)).to.deep.equal(['__proto__'])
    expect(config.current['constructor']).to.equal(undefined)
    expect(Object.prototype).not.to.have.property('0')
  })

  it('is refused without its digest, and with one that is none', () => {
    badAnswer(() => answers.readPendingConfig([]), 'config: expected a digest')
    for (const value of ['', DIGEST.slice(1), DIGEST.toUpperCase(), 7, null]) {
      badAnswer(
        () => answers.readPendingConfig([{key: 'digest', value}]),
        'config[0].value: expected a SHA-1',
      )
    }
    badAnswer(() => answers.readPendingConfig([{value: 1}]), 'config[0].key')
    badAnswer(() => answers.readPendingConfig([{key: 'a', value: [1]}]), 'config[0].value')
  })

  it('does not repeat the value that it refuses', () => {
    expect(() => answers.readPendingConfig([{key: 'digest', value: 'hunter2'}])).to.throw(/^(?!.*hunter2)/)
  })
})

describe('the answer about tasks', () => {
  it('has no exit status while the task runs, and a verdict after', () => {
    expect(answers.readTaskStatus({status: 'running'})).to.deep.equal({state: 'running'})
    expect(answers.readTaskStatus({status: 'stopped', exitstatus: 'WARNINGS: 2'})).to.deep.equal({
      state: 'stopped',
      exit: 'WARNINGS: 2',
      verdict: 'warnings',
    })
    badAnswer(() => answers.readTaskStatus({status: 'stopped'}), 'task.exitstatus')
  })

  it('lists running and ended tasks with the whole token of their user', () => {
    const entries = answers.readTaskEntries([
      {upid: UPID, user: 'root@pam', tokenid: 'felhom', status: 'OK', endtime: 1},
      {upid: UPID, user: 'root@pam!felhom'},
      {upid: UPID, status: 'RUNNING'},
      {upid: UPID, status: 'RUNNING', endtime: 5},
    ])
    expect(entries.map((entry) => entry.status.state)).to.deep.equal([
      'stopped',
      'running',
      'running',
      'stopped',
    ])
    expect(entries.map((entry) => entry.upid.user)).to.deep.equal(Array(4).fill('root@pam!felhom'))
    badAnswer(() => answers.readTaskEntries([{upid: 'x'}]), 'tasks[0].upid')
  })

  it('has log lines with their numbers, and a total', () => {
    const log = answers.readTaskLog({data: [{n: '1', t: 'a'}, {n: 2}], total: '7'})
    expect(log).to.deep.equal({
      lines: [
        {n: 1, text: 'a'},
        {n: 2, text: ''},
      ],
      total: 7,
    })
  })
})

describe('the answer to a mutation', () => {
  it('is a task or nothing', () => {
    expect(answers.readDispatched(UPID)?.type).to.equal('vzstart')
    expect(answers.readDispatched(null)).to.equal(undefined)
    for (const data of ['', 'OK', 1, {}, []]) badAnswer(() => answers.readDispatched(data), 'answer')
  })
})

describe('any answer whatever', () => {
  it('is read, or refused with bad_answer, and nothing else happens', () => {
    const json = fc.jsonValue({maxDepth: 4})
    const row = fc.dictionary(
      fc.constantFrom(
        'vmid',
        'status',
        'type',
        'node',
        'key',
        'value',
        'pending',
        'delete',
        'upid',
        'sid',
        'n',
        't',
      ),
      fc.oneof(json, fc.constantFrom('running', 'stopped', 'digest', DIGEST, UPID, 101, '101', 1, 0)),
    )
    const readers: ((data: unknown) => unknown)[] = [
      answers.readVersion,
      answers.readClusterStatus,
      answers.readNodeRows,
      answers.readGuestRows,
      answers.readGuestStatus,
      answers.readPendingConfig,
      answers.readHaResources,
      answers.readPermissions,
      answers.readNextId,
      answers.readTaskStatus,
      answers.readTaskEntries,
      answers.readDispatched,
      (data) => answers.readTaskLog({data, total: data}),
    ]
    fc.assert(
      fc.property(fc.oneof(json, row, fc.array(row)), (data) => {
        for (const read of readers) {
          try {
            read(data)
          } catch (error) {
            expect(error).to.be.instanceOf(FelhomError).with.property('code', 'bad_answer')
          }
        }
      }),
      {numRuns: 1000},
    )
  })
})
