// oclif, ansis and Node read NO_COLOR, FORCE_COLOR and TERM in three different ways when several of them
// are set. This settles the question once, before any of them is loaded, so that all give one answer.

/** The user's own wishes, kept from before they are settled for libraries. */
const wishes = {...process.env}

/** NO_COLOR wins over FORCE_COLOR; then comes what the terminal can do. */
export function wantsColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined && forced !== '') return !['0', 'false'].includes(forced)
  if (env['TERM'] === 'dumb' || env['CI']) return false
  return isTerminal
}

/** Whether felhom's own text on that stream is coloured. */
export const colourOn = (stream: {isTTY?: boolean}): boolean => wantsColour(wishes, stream.isTTY === true)

/** Changes `env` so that exactly one of NO_COLOR and FORCE_COLOR tells libraries what to do with stdout. */
export function settleColour(env: NodeJS.ProcessEnv, stdoutIsTerminal: boolean): void {
  if (wantsColour(env, stdoutIsTerminal)) {
    delete env['NO_COLOR']
    env['FORCE_COLOR'] ||= '1'
  } else {
    delete env['FORCE_COLOR']
    env['NO_COLOR'] = '1'
  }
}
