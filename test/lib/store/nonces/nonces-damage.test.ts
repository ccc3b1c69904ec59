import {expect} from 'chai'
import {sealLine} from '../../../../src/lib/store/log/line.ts'
import {readNonces, verifyNonces} from '../../../../src/lib/store/nonces/read-nonces.ts'
import type {OpenNonces} from '../../../../src/lib/store/nonces/open-nonces.ts'
import {MemoryDisk} from '../../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../../support/reject.ts'
import {START_MS, STATE} from '../journal-fixture.ts'
import {describeDamage, type OpenSubject} from '../log/damage-suite.ts'
import {DAY_MS, knowledgeOf, NONCES, openOn, useUntil, writeEveryKind} from './nonces-fixture.ts'

const subjectOf = (nonces: OpenNonces): OpenSubject => ({
  known: () => knowledgeOf(nonces),
  close: () => nonces.close(),
})

describeDamage({
  name: 'a log of nonces',
  dir: NONCES,
  place: 'nonces/',
  open: async (machine, warnings = []) => subjectOf(await openOn(machine, {warnings})),
  write: async (machine, segment, onRecord) => {
    const nonces = await openOn(machine)
    if (segment === 2) {
      await nonces.burn('zero', useUntil())
      await nonces.compact()
    }
    onRecord(subjectOf(nonces))
    await writeEveryKind(machine, nonces, () => onRecord(subjectOf(nonces)))
    await nonces.close()
  },
})

describe('a record that could never have been written', () => {
  const path = `${NONCES}/00000001.log`

  async function openWith(...records: readonly object[]): Promise<string> {
    const machine = new MemoryDisk()
    const nonces = await openOn(machine)
    await nonces.burn('one', useUntil(START_MS))
    await nonces.advance({clockMs: START_MS + 10 * DAY_MS, trust: 3})
    await nonces.close()
    let text = machine.text(path)
    for (const record of records) {
      const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as {seq: number; h: string}
      text += sealLine(last.h, last.seq + 1, JSON.stringify(record)).text
    }
    machine.put(path, Buffer.from(text))
    const error = await rejection(openOn(machine))
    expect(error.code).to.equal('journal_corrupt')
    expect(await rejection(readNonces({disk: machine.mount(), dir: STATE}))).to.have.property(
      'message',
      error.message,
    )
    expect(await verifyNonces({disk: machine.mount(), dir: STATE})).to.have.length(1)
    return error.message
  }

  const at = START_MS
  const statement = 'sha256:ab'
  const cases: Record<string, [object, string]> = {
    'burns a nonce again': [
      {type: 'burned', at, nonce: 'one', statement, expMs: START_MS},
      'was burned before',
    ],
    'rejects a burned one': [
      {type: 'rejected', at, nonce: 'one', statement, expMs: START_MS, reason: ''},
      'was burned before',
    ],
    'burns nothing': [{type: 'burned', at, nonce: '', statement, expMs: START_MS}, 'is no nonce'],
    'burns what never ends': [{type: 'burned', at, nonce: 'two', statement, expMs: null}, 'never ends'],
    'rejects without a reason': [
      {type: 'rejected', at, nonce: 'two', statement, expMs: START_MS},
      'without a reason',
    ],
    'sets the clock mark back': [{type: 'mark', at, clockMs: START_MS}, 'the clock mark cannot go'],
    'sets the trust mark back': [{type: 'mark', at, trust: 2}, 'the trust mark cannot go'],
    'marks what is marked': [{type: 'mark', at, trust: 3}, 'the trust mark cannot go'],
    'marks nothing': [{type: 'mark', at}, 'marks nothing'],
    'resets the clock to no time': [{type: 'clock_reset', at, clockMs: -1, by: 'x'}, 'is no time'],
    'drops too early': [
      {type: 'dropped', at, beforeMs: START_MS + 3 * DAY_MS - 59_999},
      'must still be kept',
    ],
  }
  for (const [name, [record, message]] of Object.entries(cases))
    it(`is as loud as a wrong hash: one that ${name}`, async () => {
      expect(await openWith(record)).to.contain(message)
    })

  it('is as loud: the use of what was dropped, and a drop that takes another back', async () => {
    const drop = {type: 'dropped', at, beforeMs: START_MS + 3 * DAY_MS - 60_000}
    expect(await openWith(drop, {type: 'burned', at, nonce: 'one', statement, expMs: START_MS})).to.contain(
      'may have been forgotten',
    )
    expect(await openWith(drop, {...drop, beforeMs: 5})).to.contain('was dropped already')
  })

  it('of a newer felhom is told as such', async () => {
    const message = await openWith({type: 'frozen', at})
    expect(message).to.contain('records of type frozen are not known')
  })

  it('tells what the operator can do about it', async () => {
    const machine = new MemoryDisk()
    const nonces = await openOn(machine)
    await nonces.burn('one', useUntil())
    await nonces.close()
    const bytes = machine.bytes(path)
    bytes[40] = 0
    machine.put(path, bytes)
    expect((await rejection(openOn(machine))).hint).to.contain('felhom gate trust rotate')
  })
})
