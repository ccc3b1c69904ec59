import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import {renderGateClasses} from '../../../scripts/render-gate-classes.ts'
import {listFamilies, optionNames} from '../../../src/lib/catalog/option.ts'
import {listOperationClasses, listOptionClasses} from '../../../src/lib/gate/class-table.ts'
import {classifyAction} from '../../../src/lib/gate/classify.ts'
import {SIGNED_OPERATIONS} from '../../../src/lib/model/approval.ts'
import {GUEST_KINDS} from '../../../src/lib/model/guest.ts'
import {actualGuest} from '../../support/actual-cluster.ts'
import {optionChange, plannedAction} from '../../support/planned-action.ts'

describe('the table of classes', () => {
  it('has every operation that can be signed for', () => {
    const options = GUEST_KINDS.flatMap((kind) => listOptionClasses(kind))
    const named = new Set([...listOperationClasses(), ...options].map(({operation}) => operation))
    for (const op of SIGNED_OPERATIONS) expect(named.has(op), op).to.equal(true)
  })

  it('is what the docs show, row by row', () => {
    const page = new URL('../../../docs/reference/gate-classes.md', import.meta.url)
    expect(renderGateClasses()).to.equal(readFileSync(page, 'utf8'))
  })

  it('calls what is not known destructive, with nobody to allow it', () => {
    expect(listOperationClasses().at(-1)).to.include({subject: 'anything else', class: 'destructive'})
    expect(listOperationClasses().at(-1)).to.not.have.property('operation')
  })

  for (const kind of GUEST_KINDS) {
    it(`has every option of ${kind}, destructive exactly where the catalog says that some change is`, () => {
      const rows = listOptionClasses(kind)
      for (const option of listFamilies(kind)) {
        const own = rows.filter(({subject}) => subject === option.family)
        expect(own, option.family).to.not.have.length(0)
        const isDestructive = own.some((row) => row.class === 'destructive')
        expect(isDestructive, option.family).to.equal(option.gate === 'destructive')
        expect(
          own.every((row) => row.why !== ''),
          option.family,
        ).to.equal(true)
      }
    })

    it(`calls no option of ${kind} benign whose removal or writing the gate calls destructive`, () => {
      const benign = new Set(
        listOptionClasses(kind)
          .filter((row) => row.class === 'benign')
          .map(({subject}) => subject),
      )
      for (const name of optionNames(kind)) {
        const family = listFamilies(kind).find((option) => option.name === name)?.family
        if (family === undefined || !benign.has(family)) continue
        const current = {[name]: '1'}
        const guest = actualGuest(104, {kind, config: {known: true, current, pending: [], digest: 'd'}})
        const action = plannedAction({type: 'set-config', changes: [optionChange(name, '1', undefined)]})
        const gateClass = classifyAction({action, target: {kind, vmid: 104, node: 'pve1'}, guest})
        const isReadable = listFamilies(kind).find((option) => option.name === name)?.format === undefined
        if (isReadable) expect(gateClass, name).to.equal('benign')
      }
    })
  }
})
