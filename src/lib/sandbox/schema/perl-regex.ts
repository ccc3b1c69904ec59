// Perl's regular expressions in JavaScript. The schema's patterns come from Perl, where `$` also matches before a
// final newline, `\d` and `\w` know Unicode, and `(?^i:…)` switches flags inside a pattern.

const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}'
const CLASSES: Record<string, string> = {d: '\\p{Nd}', w: WORD}
/** Escapes that mean the same in both languages; any other escaped character stands for itself. */
const KEPT = /[sSbBtnrfv\\^$.*+?()[\]{}|/]/

interface Scan {
  source: string
  at: number
  out: string
  /** For each open group, whether it ignores case. */
  ignoreCase: boolean[]
}

/** A RegExp that matches where Perl's `m/source/` does. */
export function perlRegex(source: string, options: {whole?: boolean; ignoreCase?: boolean} = {}): RegExp {
  const text = withoutEmptySeparator(source)
  const scan: Scan = {source: text, at: 0, out: '', ignoreCase: [options.ignoreCase ?? false]}
  while (scan.at < text.length) step(scan)
  return new RegExp(options.whole === true ? `^${scan.out}\\n?$` : scan.out, 'u')
}

/**
 * Between two runs of the same characters a separator that may be empty matches nothing more than one that may not.
 * But JavaScript, which remembers no failed attempts as Perl does, would try every way to part the run.
 */
function withoutEmptySeparator(source: string): string {
  return source.replaceAll('|[-]*)[', '|[-]+)[')
}

/** Perl's `$`: the end, or just before a final newline. */
const END = '(?=\\n?$)'

function step(scan: Scan): void {
  const char = scan.source[scan.at] ?? ''
  if (char === '\\') scan.out += escape(scan, false)
  else if (char === '[') scan.out += characterClass(scan)
  else if (char === '(') openGroup(scan)
  else {
    scan.at++
    if (char === ')') scan.ignoreCase.pop()
    scan.out += plain(char, scan)
  }
}

function plain(char: string, scan: Scan): string {
  if (char === '$') return END
  if (char === '.') return '[^\\n]'
  if (char === '{' && scan.source[scan.at] === ',') return '{0'
  if (char === ']') return '\\]'
  const folded = scan.ignoreCase.at(-1) === true && char.toLowerCase() !== char.toUpperCase()
  return folded ? `[${char.toLowerCase()}${char.toUpperCase()}]` : char
}

function openGroup(scan: Scan): void {
  const flags = /^\(\?\^([a-z]*):/.exec(scan.source.slice(scan.at))
  const other = /^\(\?(?::|<?[=!])/.exec(scan.source.slice(scan.at))
  scan.ignoreCase.push(flags ? (flags[1] ?? '').includes('i') : (scan.ignoreCase.at(-1) ?? false))
  const token = flags?.[0] ?? other?.[0] ?? '('
  scan.at += token.length
  scan.out += flags ? '(?:' : token
}

function escape(scan: Scan, inClass: boolean): string {
  const char = scan.source[scan.at + 1] ?? ''
  scan.at += 2
  const known = CLASSES[char]
  if (known !== undefined) return inClass ? known : `[${known}]`
  if (char === '0') return '\\0'
  if (char === 'Z') return END
  if (char === 'z') return '$'
  if (char === 'A') return '^'
  if (char === 'x') {
    const hex = scan.source.slice(scan.at, scan.at + 2)
    scan.at += 2
    return `\\x${hex}`
  }
  if (KEPT.test(char) || (inClass && char === '-')) return `\\${char}`
  return char
}

function characterClass(scan: Scan): string {
  let out = '['
  scan.at++
  if (scan.source[scan.at] === '^') {
    out += '^'
    scan.at++
  }
  for (let first = true; first || scan.source[scan.at] !== ']'; first = false) {
    const char = scan.source[scan.at] ?? ''
    if (char === '') throw new Error(`unbalanced class in ${scan.source}`)
    out += char === '\\' ? escape(scan, true) : classMember(scan, char)
  }
  scan.at++
  return `${out}]`
}

function classMember(scan: Scan, char: string): string {
  const range = /^([a-zA-Z])-([a-zA-Z])/.exec(scan.source.slice(scan.at))
  if (range) {
    scan.at += 3
    return bothCases(range[0], scan)
  }
  scan.at++
  if (char === '-' || char === '[') return `\\${char}`.replace('\\-', isRange(scan) ? '-' : '\\-')
  return bothCases(char, scan)
}

/** Whether the hyphen just read stands between two members. */
function isRange(scan: Scan): boolean {
  const before = scan.source[scan.at - 2] ?? '['
  const after = scan.source[scan.at] ?? ']'
  return before !== '[' && before !== '^' && after !== ']' && !/^\\[dws]/.test(scan.source.slice(scan.at))
}

function bothCases(member: string, scan: Scan): string {
  if (scan.ignoreCase.at(-1) !== true) return member
  const [lower, upper] = [member.toLowerCase(), member.toUpperCase()]
  return lower === upper ? member : lower + upper
}
