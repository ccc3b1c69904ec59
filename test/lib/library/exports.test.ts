// What the entries export is what was promised: a name that goes is a break for somebody, one that comes a promise.
import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import ts from 'typescript'
import {ENTRIES} from '../../support/promised-names.ts'

function sourceOf(file: string): ts.SourceFile {
  const url = new URL(`../../../src/lib/library/${file}.ts`, import.meta.url)
  return ts.createSourceFile(file, readFileSync(url, 'utf8'), ts.ScriptTarget.Latest)
}

describe('the entries of the package', () => {
  for (const {entry, file, values, types} of ENTRIES) {
    it(`${entry} exports these values`, async () => {
      const module = (await import(`../../../src/lib/library/${file}.ts`)) as object
      expect(Object.keys(module).sort()).to.deep.equal(values)
    })

    it(`${entry} exports these types`, () => {
      const names = sourceOf(file).statements.flatMap((statement) =>
        ts.isExportDeclaration(statement) &&
        statement.isTypeOnly &&
        statement.exportClause &&
        ts.isNamedExports(statement.exportClause)
          ? statement.exportClause.elements.map(({name}) => name.text)
          : [],
      )
      expect(names.sort()).to.deep.equal(types)
    })

    it(`${entry} is nothing but names, each under its own`, () => {
      for (const statement of sourceOf(file).statements) {
        const isList =
          ts.isExportDeclaration(statement) &&
          statement.exportClause !== undefined &&
          ts.isNamedExports(statement.exportClause) &&
          statement.exportClause.elements.every(({propertyName}) => propertyName === undefined)
        expect(isList).to.equal(true)
      }
    })
  }
})
