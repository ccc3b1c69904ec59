// The colours of felhom's output, in one place. Without colour every paint is the identity, so that the
// same text goes to a terminal, a pipe and a golden file.
import {Ansis} from 'ansis'
import type {Paint} from './text-table.ts'

export interface Palette {
  good: Paint
  warn: Paint
  bad: Paint
  dim: Paint
  strong: Paint
}

const plain: Paint = (text) => text

export function makePalette(colour: boolean): Palette {
  if (!colour) return {good: plain, warn: plain, bad: plain, dim: plain, strong: plain}
  const a = new Ansis(1)
  return {
    good: (t) => a.green(t),
    warn: (t) => a.yellow(t),
    bad: (t) => a.red(t),
    dim: (t) => a.dim(t),
    strong: (t) => a.bold(t),
  }
}
