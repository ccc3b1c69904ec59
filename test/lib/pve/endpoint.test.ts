import {expect} from 'chai'
import {Endpoints, parseEndpoint} from '../../../src/lib/pve/endpoint.ts'

describe('an endpoint', () => {
  const ACCEPTED: [string, string][] = [
    ['https://pve1.example:8006', 'https://pve1.example:8006'],
    ['https://pve1.example:8006/', 'https://pve1.example:8006'],
    ['https://pve1.example', 'https://pve1.example:8006'],
    ['https://pve1.example:443', 'https://pve1.example:443'],
    ['https://192.0.2.1:8006', 'https://192.0.2.1:8006'],
    ['https://[2001:db8::1]:8006', 'https://[2001:db8::1]:8006'],
  ]
  for (const [text, origin] of ACCEPTED) {
    it(`reads ${text} as ${origin}`, () => expect(parseEndpoint(text)).to.equal(origin))
  }

  const REFUSED = [
    '',
    'pve1',
    'pve1:8006',
    'http://pve1:8006',
    'https://pve1/api2/json',
    'https://pve1/?a=1',
    'ftp://x',
  ]
  for (const text of REFUSED) {
    it(`refuses ${JSON.stringify(text)} and says how to write it`, () => {
      expect(() => parseEndpoint(text))
        .to.throw(/cannot be used/)
        .with.property('hint', 'Write it as https://host:8006.')
    })
  }

  it('refuses credentials in the address without repeating them', () => {
    expect(() => parseEndpoint('https://root:hunter2@pve1')).to.throw(/^(?!.*hunter2).*credentials/)
  })
})

describe('a list of endpoints', () => {
  it('moves on from the one that failed, once, and comes round again', () => {
    const endpoints = new Endpoints(['https://a', 'https://b', 'https://a:8006'])
    expect(endpoints.origins).to.deep.equal(['https://a:8006', 'https://b:8006'])
    endpoints.moveOnFrom('https://a:8006')
    endpoints.moveOnFrom('https://a:8006')
    expect(endpoints.current).to.equal('https://b:8006')
    endpoints.moveOnFrom('https://b:8006')
    expect(endpoints.current).to.equal('https://a:8006')
  })

  it('must not be empty', () => {
    expect(() => new Endpoints([]))
      .to.throw()
      .with.property('code', 'settings_invalid')
  })
})
