import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {readCapture} from '../../../../src/lib/app/capture/read-capture.ts'
import {isFelhomError} from '../../../../src/lib/model/felhom-error.ts'
import {actualCluster, actualGuest} from '../../../support/actual-cluster.ts'

describe('a capture that is read back', () => {
  const dir = mkdtempSync(join(tmpdir(), 'felhom-capture-'))
  after(() => {
    rmSync(dir, {recursive: true})
  })

  const read = (json: unknown): unknown => {
    writeFileSync(join(dir, 'cluster.json'), typeof json === 'string' ? json : JSON.stringify(json))
    try {
      return readCapture(dir, 'cluster.json')
    } catch (error) {
      if (isFelhomError(error, 'usage')) return error.message.replace(/^.*cannot be used: /, '')
      throw error
    }
  }

  const cluster = actualCluster({guests: [actualGuest(101, {lock: 'backup'})]})
  const guest = cluster.guests[0]
  const capture = (change: object = {}): unknown => ({felhomCapture: 1, cluster: {...cluster, ...change}})
  const config = (change: object): unknown =>
    capture({guests: [{...guest, config: {known: true, current: {}, pending: [], digest: '', ...change}}]})

  it('is the live state that was captured', () => {
    expect(read(capture())).to.deep.equal(JSON.parse(JSON.stringify(cluster)))
  })

  it('is refused, and never half believed, when it is not as felhom writes it', () => {
    const noGuest = 'guests[0] is not a guest as felhom writes it'
    expect(read('{')).to.be.a('string')
    expect(read([])).to.equal("it is not a file that 'felhom capture' wrote")
    expect(read({felhomCapture: 1})).to.equal('it holds no cluster')
    expect(read(capture({guests: {}}))).to.match(/is missing$/)
    expect(read(capture({quorum: 'yes'}))).to.match(/^quorum or completeness/)
    expect(read(capture({completeness: {complete: false, reasons: [null]}}))).to.match(/^quorum or complete/)
    expect(read(capture({nodes: [{name: 'pve1/..', online: true, listed: true}]}))).to.match(/^a node is not/)
    for (const wrong of [
      {vmid: 7},
      {node: '../x'},
      {run: 'on'},
      {name: 5},
      {lock: {}},
      {template: 1},
      {tags: ''},
    ]) {
      expect(read(capture({guests: [{...guest, ...wrong}]})), JSON.stringify(wrong)).to.equal(noGuest)
    }
    for (const wrong of [
      {current: {memory: 512}},
      {pending: [null]},
      {pending: [{option: 'x', kind: 'set'}]},
    ]) {
      expect(read(config(wrong)), JSON.stringify(wrong)).to.equal(noGuest)
    }
  })
})
