import {chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {findToken, readToken} from '../../../src/lib/app/read-token.ts'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import type {TokenSource} from '../../../src/lib/settings/settings.ts'
import {CANARY_TOKEN, expectNoCanary} from '../../support/canary.ts'

describe('the API token', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-token-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true})
  })

  const put = (name: string, text: string, mode = 0o600): string => {
    const file = join(dir, name)
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }
  const failure = (source: TokenSource | undefined, env: NodeJS.ProcessEnv = {}): FelhomError => {
    try {
      readToken(source, env)
    } catch (error) {
      if (error instanceof FelhomError) return error
      throw error
    }
    throw new Error('a token was read')
  }

  it('comes from a file, a systemd credential or a variable, as the settings say', () => {
    const file = put('token', 'a@pam!file=1\n')
    put('cred', 'a@pam!cred=2\n', 0o440)
    const env = {CREDENTIALS_DIRECTORY: dir, MINE: 'a@pam!env=3'}
    expect(readToken({file}, env).id).to.equal('a@pam!file')
    expect(readToken({credential: 'cred'}, env).id).to.equal('a@pam!cred')
    expect(readToken({env: 'MINE'}, env).id).to.equal('a@pam!env')
  })

  it('comes from the credential felhom-token, then from FELHOM_TOKEN, when no setting says where', () => {
    const env = {CREDENTIALS_DIRECTORY: dir, FELHOM_TOKEN: 'a@pam!env=1'}
    expect(findToken(undefined, env).place).to.equal('the variable FELHOM_TOKEN')
    put('felhom-token', 'a@pam!cred=2\n', 0o400)
    const {token, place} = findToken(undefined, env)
    expect(token.id).to.equal('a@pam!cred')
    expect(place).to.equal('the credential felhom-token')
  })

  it('does not fall back to the environment when the place that the settings name holds none', () => {
    const env = {FELHOM_TOKEN: CANARY_TOKEN}
    expect(failure({file: join(dir, 'none')}, env).code).to.equal('token_missing')
    expect(failure({credential: 'none'}, env).code).to.equal('token_missing')
    expect(failure({env: 'NONE'}, env).code).to.equal('token_missing')
  })

  it('is refused from a file that others may read or change, from a link and from a directory', () => {
    for (const mode of [0o644, 0o660, 0o606, 0o601]) {
      const error = failure({file: put('loose', CANARY_TOKEN, mode)})
      expect(error.code).to.equal('token_missing')
      expect(error.hint).to.contain('chmod 600')
      expectNoCanary(error)
    }
    const file = put('token', CANARY_TOKEN)
    symlinkSync(file, join(dir, 'link'))
    mkdirSync(join(dir, 'folder'), {mode: 0o700})
    expect(failure({file: join(dir, 'link')}).message).to.contain('symbolic link')
    expect(failure({file: join(dir, 'folder')}).message).to.contain('not a regular file')
  })

  it('may be read by its group, as root:felhom 0640', () => {
    expect(readToken({file: put('token', 'a@pam!ci=c', 0o640)}, {}).id).to.equal('a@pam!ci')
  })

  it('is never repeated when it has the wrong form; the message names the place', () => {
    const wrong = CANARY_TOKEN.replace('!', ' ')
    const errors = [
      failure({file: put('token', wrong)}),
      failure({env: 'MINE'}, {MINE: wrong}),
      failure(undefined, {FELHOM_TOKEN: wrong}),
    ]
    expect(errors.map((e) => e.code)).to.deep.equal(['token_invalid', 'token_invalid', 'token_invalid'])
    expect(errors[0]?.message).to.contain(join(dir, 'token'))
    expect(errors[1]?.message).to.contain('the variable MINE')
    for (const error of errors) expectNoCanary(error)
  })

  it('says where it may come from when there is none at all', () => {
    const error = failure(undefined)
    expect(error.code).to.equal('token_missing')
    expect(error.hint).to.contain('token: {file: …}').and.contain('FELHOM_TOKEN')
  })
})
