// Text from outside, made safe to print. A guest's name or a task's log may hold anything; what could move
// the cursor, change colours, reverse the direction of reading or hide itself is shown, not obeyed.

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/** Every control, format, separator, private or unassigned code point as `\n`, `\t`, `\xNN` or `\u{…}`. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, (c) => {
    if (c === '\n') return String.raw`\n`
    if (c === '\t') return String.raw`\t`
    const code = c.codePointAt(0) ?? 0
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

/** The same for text of several lines that keeps its line breaks, such as a hint of our own. */
export const escapeLines = (text: string): string => text.split('\n').map(escapeText).join('\n')
