// What the compiler says of a program and of the declarations of felhom that it uses. Declarations of other packages
// are not ours to check, and take most of the time.
import {join, sep} from 'node:path'
import ts from 'typescript'

const STRICT: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  types: ['node'],
}

export const RESOLUTIONS: Readonly<Record<string, ts.CompilerOptions>> = {
  nodenext: {module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext},
  bundler: {module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler},
}

export interface TypeCheck {
  /** `file(line): message`. */
  readonly mistakes: readonly string[]
  /** Declarations of felhom that were checked, below its directory. */
  readonly declarations: readonly string[]
}

export function checkTypes(dir: string, files: readonly string[], resolution: ts.CompilerOptions): TypeCheck {
  const options = {...STRICT, ...resolution, typeRoots: [join(dir, 'node_modules/@types')]}
  const host = ts.createCompilerHost(options)
  host.getCurrentDirectory = () => dir
  const program = ts.createProgram({rootNames: files.map((file) => join(dir, file)), options, host})
  const felhom = join(dir, 'node_modules/felhom') + sep
  const ours = program
    .getSourceFiles()
    .filter(({fileName}) => fileName.startsWith(felhom) || files.includes(fileName.slice(dir.length + 1)))
  const found = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ]
  return {
    mistakes: found.map(describe),
    declarations: ours.flatMap(({fileName}) =>
      fileName.startsWith(felhom) ? [fileName.slice(felhom.length)] : [],
    ),
  }
}

function describe({file, start, messageText}: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, '\n')
  const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
  return `${file?.fileName ?? ''}(${line}): ${text}`
}
