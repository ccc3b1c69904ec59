import {expect} from 'chai'
import {dispatchOutcome, proxmoxError, type Refusal} from '../../../src/lib/pve/errors.ts'

const refusal = (status: number, text = '', parameters: Record<string, string> = {}): Refusal => ({
  status,
  text,
  parameters,
})

describe('whether a failed mutation can have been executed', () => {
  it('is certain when nothing was sent, whatever else is known', () => {
    expect(dispatchOutcome({sent: false, synchronous: true})).to.equal('no')
  })

  it('is in doubt when it was sent and no whole answer came', () => {
    expect(dispatchOutcome({sent: true, synchronous: true})).to.equal('ambiguous')
    expect(dispatchOutcome({sent: true, synchronous: false})).to.equal('ambiguous')
  })

  const CT_LOCK = "can't lock file '/run/lock/lxc/pve-config-103.lock' - got timeout"
  const VM_LOCK = "can't lock file '/var/lock/qemu-server/lock-200.conf' - got timeout"
  const STORAGE_LOCK = "can't lock file '/var/lock/pve-manager/pve-storage-local' - got timeout"
  const CASES: [Refusal, boolean, 'no' | 'ambiguous'][] = [
    [refusal(400), true, 'no'],
    [refusal(400, '', {cores: 'type check failed'}), false, 'no'],
    [refusal(400, '', {scsi0: "hotplug problem - can't unplug bootdisk 'scsi0'"}), true, 'ambiguous'],
    [refusal(400, '', {net0: 'unable to hotplug net0: interface vmbr9 does not exist'}), true, 'ambiguous'],
    [refusal(401), false, 'no'],
    [refusal(403), false, 'no'],
    [refusal(501), false, 'no'],
    [refusal(595), false, 'no'],
    [refusal(596), false, 'ambiguous'],
    [refusal(597), false, 'ambiguous'],
    [refusal(599), false, 'ambiguous'],
    [refusal(500, 'got no worker upid - start worker failed'), false, 'no'],
    [refusal(500, 'starting worker failed: fork'), false, 'no'],
    [refusal(500, CT_LOCK), true, 'no'],
    [refusal(500, VM_LOCK), true, 'no'],
    [refusal(500, CT_LOCK), false, 'ambiguous'],
    [refusal(500, STORAGE_LOCK), true, 'ambiguous'],
    [refusal(500, "bridge 'vmbr99' does not exist"), true, 'ambiguous'],
    [refusal(500, 'CT 101 already running'), false, 'ambiguous'],
    [refusal(200), true, 'ambiguous'],
    [refusal(302), true, 'ambiguous'],
    [refusal(413), true, 'ambiguous'],
    [refusal(502), true, 'ambiguous'],
  ]
  for (const [answer, synchronous, expected] of CASES) {
    const detail = [answer.text, ...Object.values(answer.parameters)].filter((text) => text !== '').join(' ')
    const kind = synchronous ? 'synchronous' : 'task-starting'
    it(`is "${expected}" for a ${kind} call answered with ${answer.status} ${detail}`.trimEnd(), () => {
      expect(dispatchOutcome({sent: true, synchronous, refusal: answer})).to.equal(expected)
    })
  }
})

describe('an error answer', () => {
  const errorOf = (status: number, reason: string, body = '') =>
    proxmoxError({status, reason, body}, 'GET /x', (text) => text.replaceAll('s3cret', '***'))

  const CODES: [number, string, string][] = [
    [400, 'Parameter verification failed.', 'parameters_refused'],
    [401, 'No ticket', 'unauthorized'],
    [403, 'Permission check failed', 'forbidden'],
    [500, "Configuration file 'nodes/pve/qemu-server/999.conf' does not exist", 'guest_missing'],
    [500, 'CT is locked (backup)', 'guest_locked'],
    [500, 'VM is locked (migrate)', 'guest_locked'],
    [500, "can't lock file '/run/lock/lxc/pve-config-103.lock' - got timeout", 'config_locked'],
    [500, 'detected modified configuration - file changed by other user? Try again.', 'config_changed'],
    [500, 'checksum mismatch (file change by other user?)', 'config_changed'],
    [500, 'cluster not ready - no quorum?', 'no_quorum'],
    [500, "storage 'nosuch' does not exist", 'proxmox_error'],
    [501, "Method 'PUT /version' not implemented", 'not_implemented'],
    [502, 'Bad Gateway', 'gateway_failed'],
    [595, 'Connection refused', 'node_unreachable'],
    [596, 'Connection timed out', 'gateway_timeout'],
    [599, 'Too many redirections', 'gateway_failed'],
    [418, "I'm a teapot", 'proxmox_error'],
  ]
  for (const [status, reason, code] of CODES) {
    it(`gets the code ${code} for ${status} ${reason}`, () => {
      const error = errorOf(status, reason)
      expect(error).to.include({code, status, text: reason})
      expect(error.message).to.equal(`GET /x: ${status} ${reason}`)
    })
  }

  it('knows a task that is gone from a parameter that is refused', () => {
    const body = JSON.stringify({data: null, errors: {upid: 'no such task'}, message: 'failed.\n'})
    expect(errorOf(400, 'failed.', body).code).to.equal('no_such_task')
  })

  it('takes the longer text of the body, trimmed, and every parameter', () => {
    const body = JSON.stringify({
      data: null,
      message: 'Parameter verification failed.\n',
      errors: {cores: 'too many\n', memory: ' too little '},
    })
    const error = errorOf(400, 'Parameter', body)
    expect(error.message).to.equal(
      'GET /x: 400 Parameter verification failed.; cores: too many; memory: too little',
    )
    expect(error.parameters).to.deep.equal({cores: 'too many', memory: 'too little'})
  })

  it('falls back on the reason phrase where the body is empty, plain or odd', () => {
    for (const body of [
      '',
      'plain text',
      '[]',
      '{"message":null}',
      '{"message":7,"errors":[1]}',
      '{"errors":{"a":1}}',
    ]) {
      expect(errorOf(500, 'the reason', body).message).to.equal('GET /x: 500 the reason')
    }
  })

  it('hands on texts as they are, but for secrets and endless length', () => {
    const escape = '\u001b[31mred\u202e'
    const body = JSON.stringify({
      message: `${escape} s3cret ${'x'.repeat(5000)}`,
      errors: {__proto__x: 's3cret'},
    })
    const error = errorOf(500, '', body)
    expect(error.text).to.contain(escape)
    expect(error.text).to.have.length(2000)
    expect(error.message).not.to.contain('s3cret')
  })
})
