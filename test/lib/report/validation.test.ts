// A file with ten different mistakes, in each form in which validate tells them; and the rules of those forms.
import {readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {expect} from 'chai'
import {DesiredReader} from '../../../src/lib/desired/read-desired.ts'
import type {Diagnostic} from '../../../src/lib/model/diagnostic.ts'
import {escapeText} from '../../../src/lib/report/escape-text.ts'
import {renderGithub} from '../../../src/lib/report/github-annotations.ts'
import {toJsonText} from '../../../src/lib/report/json-text.ts'
import {renderJunit} from '../../../src/lib/report/junit.ts'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {buildSarif, type SarifLog} from '../../../src/lib/report/sarif.ts'
import {ruleCodes, ruleText} from '../../../src/lib/report/validation-rules.ts'
import {renderValidation} from '../../../src/lib/report/validation-text.ts'
import type {Validation} from '../../../src/lib/report/validation.ts'
import {parseXml, type XmlElement} from '../../support/parse-xml.ts'

const FIXTURES = new URL('../../fixtures/validation/', import.meta.url)
const NOW = new Date('2026-11-18T04:05:06.789Z')

/** Line, column and code of each, in the order of the file. */
const TEN: [number, number, string][] = [
  [2, 1, 'settings_in_desired'],
  [6, 10, 'wrong_value'],
  [8, 7, 'unknown_key'],
  [9, 7, 'misplaced'],
  [10, 7, 'create_only'],
  [11, 26, 'unknown_key'],
  [15, 5, 'absent_with'],
  [19, 7, 'other_kind'],
  [20, 19, 'secret_in_text'],
  [21, 3, 'vmid'],
]

function validateFixture(): Validation {
  const reader = new DesiredReader()
  const bytes = readFileSync(new URL('ten-mistakes.yaml', FIXTURES))
  reader.add({file: 'guests/ten-mistakes.yaml', dir: '/project/guests', bytes})
  const reading = reader.finish()
  if (reading.valid) throw new Error('the fixture has no mistakes')
  return reading
}

const clean: Validation = {files: ['a.yaml', 'b,c:%.yaml'], guestCount: 42, mistakeCount: 0, diagnostics: []}

const hostile: Diagnostic = {
  code: 'wrong_value',
  file: '../o%dd, na:me/<&">/\u202e.yaml',
  line: 3,
  column: 5,
  length: 2,
  message: 'a\u001b[31m "b" <c> & d\r\n::error::gotcha %0A \u202e',
  expected: "it's fine, really: 100%",
  sourceLine: '    \u001b]0;x\u0007 ]]> &amp;',
}
const hostileValidation: Validation = {files: [], guestCount: 0, mistakeCount: 1, diagnostics: [hostile]}

function expectGolden(name: string, text: string): void {
  const url = new URL(name, FIXTURES)
  if (process.env['FELHOM_TEST_UPDATE_GOLDEN']) writeFileSync(url, `${text}\n`)
  expect(`${text}\n`).to.equal(readFileSync(url, 'utf8'))
}

describe('the outcome of validate', () => {
  const ten = validateFixture()

  it('has ten different mistakes in their places', () => {
    expect(ten.diagnostics.map(({line, column, code}) => [line, column, code])).to.deep.equal(TEN)
    expect(JSON.stringify(ten)).to.not.contain('hunter2')
  })

  it('knows a rule for every code that a mistake can have', () => {
    const sources = ['desired', 'yaml', 'source'].flatMap((room) => {
      const dir = new URL(`../../../src/lib/${room}/`, import.meta.url)
      return readdirSync(dir).map((name) => readFileSync(new URL(name, dir), 'utf8'))
    })
    const used = sources.join('\n').matchAll(/(?:code: |#refuse\(\w+, |\? |: )'([a-z]+_?[a-z_0-9]*)'/g)
    const written = new Set([...used].map(([, code]) => code))
    for (const code of ruleCodes) expect(written, `nobody says ${code}`).to.include(code)
    for (const source of sources)
      for (const [, code = ''] of source.matchAll(/code: '(\w+)'/g)) expect(ruleCodes, code).to.include(code)
    expect(ruleText('something_new')).to.equal('something_new')
  })

  describe('as text', () => {
    it('shows each with its line and a caret, and a summary at the end', () => {
      expectGolden('ten-mistakes.txt', renderValidation(ten, makePalette(false), 80))
    })

    it('is one line when there is nothing to say', () => {
      expect(renderValidation(clean, makePalette(false), 80)).to.equal('2 files, 42 guests, no mistakes')
    })

    it('says how many mistakes it does not show', () => {
      const text = renderValidation({...hostileValidation, mistakeCount: 1001}, makePalette(false), 80)
      expect(text).to.contain('and 1000 mistakes more\n\n0 files, 0 guests, 1001 mistakes')
    })

    it('obeys nothing that the file holds', () => {
      const text = renderValidation(hostileValidation, makePalette(false), 80)
      expect(text).to.not.match(/[\u001b\u0007\u202e\r]/)
    })
  })

  describe('as GitHub annotations', () => {
    const GRAMMAR =
      /^::error ((?:(?:file|line|endLine|col|endColumn|title)=(?:[^\r\n:,%]|%(?:25|0D|0A|3A|2C))*,?)+)::((?:[^\r\n%]|%(?:25|0D|0A))*)$/
    const decode = (text: string): string =>
      text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    const parse = (line: string): {properties: Record<string, string>; message: string} => {
      const [, properties = '', message = ''] = GRAMMAR.exec(line) ?? expect.fail(`no command: ${line}`)
      const pairs = properties.split(',').map((p) => p.split('=') as [string, string])
      return {properties: Object.fromEntries(pairs.map(([k, v]) => [k, decode(v)])), message: decode(message)}
    }

    it('is one command for each mistake, in the grammar of workflow commands', () => {
      const lines = renderGithub(ten).split('\n')
      expectGolden('ten-mistakes.github.txt', lines.join('\n'))
      expect(lines.pop()).to.equal('1 file, 4 guests, 10 mistakes')
      const places = lines
        .map(parse)
        .map(({properties: p}) => [Number(p['line']), Number(p['col']), p['title']])
      expect(places).to.deep.equal(TEN)
    })

    it('escapes what would end a command or begin another one', () => {
      const [line = '', ...rest] = renderGithub(hostileValidation).split('\n')
      expect(rest).to.have.length(1)
      const {properties, message} = parse(line)
      expect(properties['file']).to.equal(escapeText(hostile.file))
      expect(message).to.contain('::error::gotcha %0A').and.contain('100%')
      expect(line).to.not.match(/[\u001b\u202e]/)
    })

    it('is no command at all when there is nothing wrong', () => {
      expect(renderGithub(clean)).to.equal('2 files, 42 guests, no mistakes')
    })
  })

  describe('as SARIF', () => {
    it('has a result for each mistake, in its place', () => {
      const log = buildSarif(ten, {version: '1.2.3'})
      expectGolden('ten-mistakes.sarif', toJsonText(log))
      const results = log.runs[0]?.results ?? []
      const places = results.map(({ruleId, locations: [at]}) => {
        const region = at?.physicalLocation.region
        return [region?.startLine, region?.startColumn, ruleId]
      })
      expect(places).to.deep.equal(TEN)
    })

    it('keeps to the schema of SARIF 2.1.0', () => {
      for (const validation of [ten, clean, hostileValidation])
        checkSarif(buildSarif(validation, {version: '1.2.3'}))
    })

    it('names files by addresses', () => {
      const at = (file: string): string | undefined =>
        buildSarif({...hostileValidation, diagnostics: [{...hostile, file}]}, {version: '1'}).runs[0]
          ?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri
      expect(at('guests/größe #1.yaml')).to.equal('guests/gr%C3%B6%C3%9Fe%20%231.yaml')
      expect(at('/etc/a b.yaml')).to.equal('file:///etc/a%20b.yaml')
      expect(at('\ud800.yaml')).to.equal('%EF%BF%BD.yaml')
    })

    it('leaves out the region of a mistake that has no line', () => {
      const {line, ...rest} = hostile
      const log = buildSarif({...hostileValidation, diagnostics: [rest]}, {version: '1'})
      expect(line).to.equal(3)
      expect(log.runs[0]?.results[0]?.locations[0]?.physicalLocation).to.not.have.property('region')
    })
  })

  describe('as JUnit', () => {
    it('has a failed case for each mistake', () => {
      const xml = renderJunit(ten, NOW)
      expectGolden('ten-mistakes.junit.xml', xml)
      const [suite] = parseXml(xml).children
      const cases = suite?.children.filter(({name}) => name === 'testcase') ?? []
      expect(cases.map(({attributes}) => attributes['name'])).to.deep.equal(
        TEN.map(([line, column, code]) => `${code} at ${String(line)}:${String(column)}`),
      )
      expect(suite?.attributes).to.include({tests: '10', failures: '10', errors: '0'})
    })

    it('keeps to what the common schemas allow', () => {
      for (const validation of [ten, clean, hostileValidation])
        checkJunit(parseXml(renderJunit(validation, NOW)))
    })

    it('has a passed case for each file without mistakes', () => {
      const suites = parseXml(renderJunit(clean, NOW)).children
      expect(
        suites.map(({attributes}) => [attributes['name'], attributes['failures'], attributes['tests']]),
      ).to.deep.equal([
        ['a.yaml', '0', '1'],
        ['b,c:%.yaml', '0', '1'],
      ])
    })

    it('quotes what XML would take for its own, and tells what it cannot hold', () => {
      const [suite] = parseXml(renderJunit(hostileValidation, NOW)).children
      const failure = suite?.children.find(({name}) => name === 'testcase')?.children[0]
      expect(suite?.attributes['name']).to.equal(escapeText(hostile.file))
      expect(failure?.attributes['message']).to.contain('"b" <c> & d').and.contain("it's fine")
      expect(failure?.text).to.contain('\\x1b[31m')
    })
  })
})

/** Only these properties, and all that are marked as required. */
function expectShape(value: object, required: string[], optional: string[] = []): void {
  expect(value).to.include.all.keys(required)
  expect([...required, ...optional]).to.include.members(Object.keys(value))
}

function checkSarif(log: SarifLog): void {
  expectShape(log, ['version', 'runs'], ['$schema'])
  expect(log.version).to.equal('2.1.0')
  for (const run of log.runs) {
    expectShape(run, ['tool'], ['columnKind', 'artifacts', 'results'])
    expect(['utf16CodeUnits', 'unicodeCodePoints']).to.include(run.columnKind)
    expectShape(run.tool.driver, ['name'], ['version', 'rules'])
    for (const rule of run.tool.driver.rules) {
      expectShape(rule, ['id'], ['shortDescription'])
      expectShape(rule.shortDescription, ['text'])
    }
    expect(new Set(run.artifacts.map(({location}) => location.uri)).size).to.equal(run.artifacts.length)
    for (const result of run.results) {
      expectShape(result, ['message'], ['ruleId', 'ruleIndex', 'level', 'locations'])
      expect(result.message.text).to.be.a('string').and.not.equal('')
      expect(['none', 'note', 'warning', 'error']).to.include(result.level)
      expect(run.tool.driver.rules[result.ruleIndex]?.id).to.equal(result.ruleId)
      for (const {physicalLocation} of result.locations) {
        expectShape(physicalLocation, ['artifactLocation'], ['region'])
        expect(physicalLocation.artifactLocation.uri).to.match(
          /^(?:file:\/\/\/)?(?:[\w.~!$&'()*+,;=@/-]|%[\dA-F]{2})+$/,
        )
        const {region} = physicalLocation
        if (!region) continue
        expectShape(region, ['startLine', 'startColumn'], ['endColumn', 'snippet'])
        expect(region.startLine).to.be.at.least(1)
        expect(region.startColumn).to.be.at.least(1)
        expect(region.endColumn).to.be.greaterThan(region.startColumn)
      }
    }
  }
}

const NUMBER = /^\d+$/

/** The strictest of them: Ant's, where order, attributes and empty elements are all prescribed. */
function checkJunit(root: XmlElement): void {
  expect(root.name).to.equal('testsuites')
  expect(root.attributes).to.deep.equal({})
  for (const [id, suite] of root.children.entries()) {
    expect(suite.name).to.equal('testsuite')
    expectShape(suite.attributes, [
      ...['name', 'package', 'id', 'timestamp', 'hostname', 'tests', 'failures', 'errors', 'time'],
    ])
    expect(suite.attributes['name']).to.not.equal('')
    expect(suite.attributes['id']).to.equal(String(id))
    expect(suite.attributes['timestamp']).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    for (const count of ['tests', 'failures', 'errors', 'time'])
      expect(suite.attributes[count]).to.match(NUMBER)
    const names = suite.children.map(({name}) => name).join(' ')
    expect(names).to.match(/^properties(?: testcase)* system-out system-err$/)
    const cases = suite.children.filter(({name}) => name === 'testcase')
    expect(suite.attributes['tests']).to.equal(String(cases.length))
    for (const {attributes, children} of cases) {
      expectShape(attributes, ['name', 'classname', 'time'])
      expect(children.length).to.be.at.most(1)
      for (const failure of children) {
        expect(failure.name).to.equal('failure')
        expectShape(failure.attributes, ['type'], ['message'])
      }
    }
  }
}
