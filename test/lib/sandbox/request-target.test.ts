import {expect} from 'chai'
import {readTarget, splitApiPath} from '../../../src/lib/sandbox/request-target.ts'

describe('the address of a request', () => {
  const targets: [string, string, string][] = [
    ['/api2/json/version', '/api2/json/version', ''],
    ['/a%20b?c=%20d?e#f', '/a b', 'c=%20d?e'],
    ['/a#f?c', '/a', ''],
    ['//host/api2/json', '/api2/json', ''],
    ['https://host:8006/api2/json?x', '/api2/json', 'x'],
    ['/%c3%a9%zz', '/\u00c3\u00a9%zz', ''],
  ]
  for (const [url, path, query] of targets) {
    it(`${url} is split`, () => {
      expect(readTarget(url)).to.deep.equal({path, query})
    })
  }

  const paths: [string, [string, string] | undefined][] = [
    ['/api2/json', ['json', '/']],
    ['/api2//json//version/', ['json', '//version/']],
    ['/api2/json/version\n', ['json', '/version']],
    ['/api2/json/a\nb', undefined],
    ['/api2/JSON/version', undefined],
    ['/api2/', undefined],
    ['/api2json', undefined],
  ]
  for (const [path, wanted] of paths) {
    it(`${JSON.stringify(path)} ${wanted ? 'is' : 'is not'} of the API`, () => {
      const split = splitApiPath(path)
      expect(split && [split.format, split.path]).to.deep.equal(wanted)
    })
  }
})
