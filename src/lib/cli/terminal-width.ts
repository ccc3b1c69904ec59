/** Columns for felhom's own text: those of the terminal within reason, 80 where there is none. */
export function terminalWidth(): number {
  const columns = process.stderr.columns || process.stdout.columns || 80
  return Math.max(40, Math.min(columns, 100))
}
