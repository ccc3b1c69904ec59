import {expect} from 'chai'
import {methodSchema, type MethodSchema, type Schema} from '../../../../src/lib/sandbox/schema/api-schema.ts'
import {PveError} from '../../../../src/lib/sandbox/pve-error.ts'
import {validateParams, type RawParams} from '../../../../src/lib/sandbox/schema/validate.ts'

const guest = {node: 'pve', vmid: '102'}

function schemaOf(path: string, method: string): MethodSchema {
  const schema = methodSchema(path, method)
  if (!schema) throw new Error(`no ${method} ${path}`)
  return schema
}

const lxc = schemaOf('/nodes/{node}/lxc/{vmid}/config', 'PUT')
const qemu = schemaOf('/nodes/{node}/qemu/{vmid}/config', 'PUT')
const ofProperties = (properties: Record<string, Schema>): MethodSchema => ({
  name: 'test',
  parameters: {additionalProperties: 0, properties},
})

function errorsOf(schema: MethodSchema, params: RawParams): Record<string, string> | undefined {
  try {
    validateParams(schema, params)
    return undefined
  } catch (error) {
    if (!(error instanceof PveError)) throw error
    expect(error.status).to.equal(400)
    expect(error.message).to.equal('Parameter verification failed.\n')
    return error.errors
  }
}

const UNKNOWN = 'property is not defined in schema and the schema does not allow additional properties'

describe('validateParams', () => {
  it('returns the parameters as text', () => {
    const params = validateParams(lxc, {...guest, onboot: true, console: false, cores: '2', swap: null})
    expect({...params}).to.deep.equal({...guest, onboot: '1', console: '0', cores: '2', swap: null})
  })

  it('tells every wrong parameter at once', () => {
    expect(errorsOf(lxc, {...guest, cores: 'x', bogus: '1', hostname: 'a_b'})).to.deep.equal({
      cores: "type check ('integer') failed - got 'x'",
      bogus: UNKNOWN,
      hostname: 'invalid format - value does not look like a valid DNS name\n',
    })
  })

  it('knows numbered options up to their limit', () => {
    const known = ['net31', 'mp255', 'dev255', 'unused255']
    for (const option of known)
      expect(errorsOf(lxc, {...guest, [option]: 'x=1'})?.[option], option).not.to.equal(UNKNOWN)
    for (const option of ['net32', 'mp256', 'dev256', 'unused256', 'net01', 'net', 'scsi0', 'net[n]']) {
      expect(errorsOf(lxc, {...guest, [option]: 'x'}), option).to.deep.equal({[option]: UNKNOWN})
    }
    const over = [
      'ide4',
      'sata6',
      'scsi31',
      'virtio16',
      'net32',
      'usb14',
      'hostpci16',
      'serial4',
      'numa8',
      'parallel3',
    ]
    for (const option of over) {
      const last = option.replace(/\d+$/, (index) => String(Number(index) - 1))
      expect(errorsOf(qemu, {...guest, [option]: 'x'}), option).to.deep.equal({[option]: UNKNOWN})
      expect(errorsOf(qemu, {...guest, [last]: 'x=1'})?.[last], last).not.to.equal(UNKNOWN)
    }
  })

  it('names what only JSON or a repeated key can carry', () => {
    expect(errorsOf(lxc, {...guest, cores: ['1', '2'], swap: true, net0: {name: 'eth0'}})).to.deep.equal({
      cores: "type check ('integer') failed - got ARRAY",
      swap: "type check ('integer') failed - got JSON::PP::Boolean",
      net0: "type check ('string') failed - got HASH",
    })
  })

  it('takes a list inside a list for the text that Perl makes of it', () => {
    expect(errorsOf(lxc, {...guest, tags: [['a']]})).to.deep.equal({
      tags: 'invalid format - invalid characters in tag\n',
    })
  })

  it('joins an array where a list is wanted and wraps text where an array is wanted', () => {
    expect(validateParams(lxc, {...guest, delete: ['tags', 'onboot']})['delete']).to.equal('tags,onboot')
    const vzdump = schemaOf('/nodes/{node}/vzdump', 'POST')
    expect(validateParams(vzdump, {node: 'pve', 'exclude-path': '/tmp'})['exclude-path']).to.deep.equal([
      '/tmp',
    ])
  })

  it('misses required parameters, also when they are null', () => {
    const missing = 'property is missing and it is not optional'
    const snapshot = schemaOf('/nodes/{node}/lxc/{vmid}/snapshot', 'POST')
    expect(errorsOf(snapshot, guest)).to.deep.equal({snapname: missing})
    expect(errorsOf(snapshot, {...guest, snapname: null})).to.deep.equal({snapname: missing})
  })

  it('misses the parameter that another one requires', () => {
    const pools = schemaOf('/pools', 'GET')
    expect(errorsOf(pools, {type: 'lxc'})).to.deep.equal({poolid: "missing property required by 'type'"})
    const both = ofProperties({a: {type: 'string', optional: 1, requires: 'b'}, b: {type: 'string'}})
    expect(errorsOf(both, {a: '1'})).to.deep.equal({
      b: "property is missing and it is not optional\\nmissing property required by 'a'",
    })
  })

  it('misses keys that others require inside a property string', () => {
    expect(errorsOf(qemu, {...guest, ipconfig0: 'gw=192.0.2.1'})).to.deep.equal({
      ipconfig0: "invalid format - format error\nipconfig0.ip: missing property required by 'ipconfig0.gw'\n",
    })
  })

  it('checks format, pattern, length, range and enumeration in that order', () => {
    const schema = ofProperties({
      size: {
        type: 'string',
        pattern: '\\d+',
        maxLength: 3,
        minLength: 2,
        maximum: 500,
        minimum: 20,
        enum: ['50'],
      },
    })
    const cases: Record<string, string | undefined> = {
      x1234: 'value does not match the regex pattern',
      '1234': 'value may only be 3 characters long',
      '1': 'value must be at least 2 characters long',
      '501': 'value must have a maximum value of 500',
      '19': 'value must have a minimum value of 20',
      '51': "value '51' does not have a value in the enumeration '50'",
      '50': undefined,
    }
    for (const [size, text] of Object.entries(cases)) {
      expect(errorsOf(schema, {size})?.['size'], size).to.equal(text)
    }
  })

  it('takes digits of other scripts for numbers, and counts them as nothing', () => {
    expect(errorsOf(lxc, {...guest, cores: '٣'})).to.deep.equal({
      cores: 'value must have a minimum value of 1',
    })
  })

  it('counts characters and not UTF-16 units', () => {
    const schema = ofProperties({text: {type: 'string', maxLength: 2}})
    expect(errorsOf(schema, {text: '💾💾'})).to.equal(undefined)
    expect(errorsOf(schema, {text: '💾💾💾'})).to.deep.equal({text: 'value may only be 2 characters long'})
  })

  it('is not confused by the names of inherited properties', () => {
    expect(errorsOf(lxc, {...guest, constructor: '1'})).to.deep.equal({constructor: UNKNOWN})
    expect(errorsOf(lxc, {...guest, net0: 'name=eth0,constructor=1'})).to.deep.equal({
      net0: `invalid format - format error\nnet0.constructor: ${UNKNOWN}\n`,
    })
  })
})
