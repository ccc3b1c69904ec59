// The program's files as CommonJS. Node reads those one after the other and without waiting, where it asks its pool of
// threads for each ES module; a command reads some forty files before its first request.
import {transform} from 'esbuild'

/** A file that the bundler wrote as an ES module; it must neither await at its top nor ask for `import.meta`. */
export async function toCommonJs(text, path) {
  if (/\bimport\.meta\b/.test(text)) throw new Error(`${path} asks for import.meta, which CommonJS has not`)
  const {code} = await transform(requireOwnChunks(text), {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minify: true,
    // What a module was written under; the bundler leaves it out.
    banner: '"use strict";',
  })
  return code
}

/** `import("./chunk.cjs")` of a file of ours. What others bring, which may be ES modules, is still imported. */
const requireOwnChunks = (text) =>
  text.replaceAll(/\bimport\(("\.\.?\/[^"]+")\)/g, 'Promise.resolve().then(()=>require($1))')
