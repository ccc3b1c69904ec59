// `create`: how a guest is made, and the secrets that are named in it.
import {expect} from 'chai'
import type {DesiredCreate} from '../../../src/lib/model/desired.ts'
import {guestOf, mistakesOf, valueOf} from '../../support/desired.ts'

const create = (written: string, kind = 'lxc'): Omit<DesiredCreate, 'place'> | undefined => {
  const {place, ...rest} = guestOf(`{kind: ${kind}, create: ${written}}`).create ?? {}
  expect(place).to.include({line: 3})
  return rest as DesiredCreate
}
const refused = (written: string, kind = 'lxc'): string[] =>
  mistakesOf(`{kind: ${kind}, create: ${written}}`).map(({code}) => code)

describe('creation in the desired state', () => {
  it('comes from a template, a clone, a backup, or from nothing for a machine', () => {
    expect(create('{template: "local:vztmpl/a.tar.zst"}')).to.deep.equal({
      from: {template: 'local:vztmpl/a.tar.zst'},
    })
    expect(create('{clone: 9000, full: false}', 'qemu')).to.deep.equal({from: {clone: 9000, full: false}})
    expect(create('{restore: "pbs:backup/ct/101/2026"}')).to.deep.equal({
      from: {restore: 'pbs:backup/ct/101/2026'},
    })
    expect(create('{}', 'qemu')).to.deep.equal({from: {empty: true}})
  })

  it('comes from exactly one of them', () => {
    expect(refused('{template: "a1:b", clone: 9000}')).to.deep.equal(['several_origins'])
    expect(refused('{storage: local}')).to.deep.equal(['no_origin'])
    expect(refused('')).to.deep.equal(['no_origin'])
    expect(refused('{clone: 101}')).to.deep.equal(['wrong_value'])
    expect(refused('{clone: web}')).to.deep.equal(['wrong_value'])
    expect(refused('{template: debian}')).to.deep.equal(['wrong_value'])
    expect(refused('{template: "a1:b", full: true}')).to.deep.equal(['misplaced'])
  })

  it('names storage and pool', () => {
    const found = create('{clone: 9000, storage: local-lvm, pool: prod/web}')
    expect(found).to.deep.include({storage: 'local-lvm', pool: 'prod/web'})
    for (const wrong of ['storage: "a b"', 'storage: 1', 'pool: "../x y"', 'storage: null'])
      expect(refused(`{clone: 9000, ${wrong}}`), wrong).to.have.length(1)
  })

  it('takes what a container has and a machine has not only for containers', () => {
    expect(create('{template: "a1:b", unprivileged: true}')).to.deep.include({unprivileged: true})
    for (const key of [
      'template: "a1:b"',
      'password: {fromEnv: A}',
      'sshkeys: {fromFile: keys}',
      'unprivileged: true',
    ])
      expect(refused(`{${key}}`, 'qemu'), key).to.deep.equal(['other_kind'])
  })

  it('takes secrets by reference only, files relative to the file that names them', () => {
    expect(create('{template: local:vztmpl/x.tar.zst, password: {fromFile: secrets/root}}')).to.deep.include({
      password: {file: '/project/secrets/root'},
    })
    expect(create('{template: local:vztmpl/x.tar.zst, password: {fromFile: /run/root}}')).to.deep.include({
      password: {file: '/run/root'},
    })
    expect(create('{template: local:vztmpl/x.tar.zst, password: {fromEnv: ROOT_PW}}')).to.deep.include({
      password: {env: 'ROOT_PW'},
    })
    for (const wrong of [
      '{}',
      '{fromEnv: "a b"}',
      '{fromEnv: A, fromFile: b}',
      '{fromfile: b}',
      '{fromFile: ""}',
    ])
      expect(refused(`{template: local:vztmpl/x.tar.zst, password: ${wrong}}`), wrong).to.deep.equal([
        'wrong_value',
      ])
    const machine = guestOf('{kind: qemu, config: {cipassword: {fromFile: ci}}}')
    expect(valueOf(machine, 'cipassword')).to.deep.equal({is: 'secret', from: {file: '/project/ci'}})
  })

  it('does not repeat a password that stands in the file, not even beside another mistake', () => {
    const texts = [
      '{kind: lxc, create: {template: local:vztmpl/x.tar.zst, password: hunter2}}',
      '{kind: lxc, create: {template: local:vztmpl/x.tar.zst, password: "hun}ter2", storge: x}}',
      "{kind: qemu, config: {memroy: 1, cipassword: 'hunter2'}}",
      '{kind: qemu, config: {cipassword: hunter2, a b c: [}}',
      '\n    kind: qemu\n    config:\n      cipassword: hunter2, and more\n',
    ]
    for (const text of texts) {
      const found = mistakesOf(text)
      expect(found, text).to.not.have.length(0)
      expect(JSON.stringify(found), text).to.not.match(/hun}?ter2|and more/)
    }
    expect(refused('{template: local:vztmpl/x.tar.zst, password: hunter2}')).to.deep.equal(['secret_in_text'])
  })

  it('refuses for a copy what only a template is given', () => {
    for (const key of ['password: {fromEnv: A}', 'sshkeys: {fromFile: k}', 'unprivileged: true'])
      expect(refused(`{clone: 9000, ${key}}`), key).to.deep.equal(['misplaced'])
    const archive = 'restore: local:backup/vzdump-lxc-100.tar.zst'
    expect(refused(`{${archive}, password: {fromEnv: A}}`)).to.deep.equal(['misplaced'])
    expect(create(`{${archive}, unprivileged: true}`)).to.deep.include({unprivileged: true})
  })

  it('takes public keys as lines, as a list, or from a file', () => {
    const [a, b] = ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me@home', 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB']
    expect(create(`{template: local:vztmpl/x.tar.zst, sshkeys: [${a}, ${b}]}`)).to.deep.include({
      sshKeys: `${a}\n${b}`,
    })
    expect(create(`{template: local:vztmpl/x.tar.zst, sshkeys: "${a}\\n${b}\\n"}`)).to.deep.include({
      sshKeys: `${a}\n${b}`,
    })
    expect(create('{template: local:vztmpl/x.tar.zst, sshkeys: {fromFile: keys}}')).to.deep.include({
      sshKeys: {file: '/project/keys'},
    })
    for (const wrong of ['[]', '5', '"no key"', '[a, 5]'])
      expect(refused(`{template: local:vztmpl/x.tar.zst, sshkeys: ${wrong}}`), wrong).to.deep.equal([
        'wrong_value',
      ])
  })
})
