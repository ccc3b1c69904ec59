import {expect} from 'chai'
import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import type {SourceKind} from '../../../src/lib/model/daemon.ts'
import type {DesiredReading} from '../../../src/lib/model/desired.ts'
import {readBundle} from '../../../src/lib/source/read-bundle.ts'
import {SourceLab} from '../../support/source-lab.ts'

describe('read-bundle', () => {
  let lab: SourceLab
  beforeEach(() => (lab = new SourceLab()))
  afterEach(() => lab.remove())

  const read = (password: string, kind: SourceKind = 'https', secretsDir?: string): DesiredReading => {
    const yaml = `felhom: 1\nguests:\n  101:\n    kind: lxc\n    create:\n      template: local:vztmpl/x.tar.zst\n      password: ${password}\n`
    return readBundle([{file: 'a.yaml', dir: lab.dir, bytes: Buffer.from(yaml)}], {kind, secretsDir})
  }
  const refusal = (
    password: string,
    kind: SourceKind = 'git',
    secretsDir: string | undefined = lab.secrets,
  ): string => {
    const reading = read(password, kind, secretsDir)
    if (reading.valid) return 'valid'
    const [first] = reading.diagnostics
    return `${first?.file}:${first?.line} ${first?.message}`
  }

  it('lets a desired state from elsewhere take secrets from one directory', () => {
    const reading = read('{fromFile: web/root}', 'https', lab.secrets)
    if (!reading.valid) throw new Error('not valid')
    expect(reading.state.guests[0]?.create?.password).to.deep.equal({file: join(lab.secrets, 'web/root')})
  })

  it('lets it read no other file and no variable of this machine, and names the place', () => {
    const elsewhere = /^a\.yaml:5 'password' may not be taken from there: it is not in the directory/
    expect(refusal('{fromFile: /etc/shadow}')).to.match(elsewhere)
    expect(refusal('{fromFile: ../guests/a.yaml}')).to.match(elsewhere)
    expect(refusal('{fromFile: x/../../state/journal}')).to.match(elsewhere)
    expect(refusal('{fromFile: .}')).to.match(elsewhere)
    expect(refusal(`{fromFile: ${lab.secrets}-other/x}`)).to.match(elsewhere)
    expect(refusal('{fromEnv: FELHOM_TOKEN}')).to.match(/may not read the environment/)
    expect(read('{fromFile: x}', 'https').valid).to.equal(false)
  })

  it('follows no link out of that directory', () => {
    writeFileSync(join(lab.root, 'token'), 'secret')
    symlinkSync('../token', join(lab.secrets, 'link'))
    symlinkSync('..', join(lab.secrets, 'up'))
    symlinkSync('loop', join(lab.secrets, 'loop'))
    mkdirSync(join(lab.secrets, 'real'))
    writeFileSync(join(lab.secrets, 'real/x'), 'secret')
    symlinkSync('real', join(lab.secrets, 'inside'))
    for (const path of ['link', 'up/token', 'up/not-there-yet', 'loop'])
      expect(refusal(`{fromFile: ${path}}`), path).to.match(/a link leads out/)
    expect(refusal('{fromFile: inside/x}')).to.equal('valid')
    expect(refusal('{fromFile: not-there-yet}')).to.equal('valid')
  })

  it('looks at the secrets of options and at keys too', () => {
    const yaml =
      'felhom: 1\nguests:\n  101:\n    kind: qemu\n    config: {cipassword: {fromFile: /etc/shadow}}\n  102:\n    kind: lxc\n    create: {template: "local:vztmpl/x.tar.zst", sshkeys: {fromFile: /root/.ssh/id_ed25519}}\n'
    const reading = readBundle([{file: 'a.yaml', dir: '', bytes: Buffer.from(yaml)}], {
      kind: 'git',
      secretsDir: lab.secrets,
    })
    expect(reading.valid ? [] : reading.diagnostics.map(({line, code}) => [line, code])).to.deep.equal([
      [5, 'secret_elsewhere'],
      [8, 'secret_elsewhere'],
    ])
  })

  it("leaves the operator's own files alone", () => {
    expect(read('{fromFile: /etc/shadow}', 'files').valid).to.equal(true)
    expect(read('{fromEnv: HOME}', 'files').valid).to.equal(true)
  })
})
