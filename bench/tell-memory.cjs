// Required ahead of a program: it clears up its memory and says on stderr what is left when it hears SIGUSR2. How much
// of its garbage a process carries about is V8's choice from moment to moment; what is still in use is the program's.
process.on('SIGUSR2', () => {
  globalThis.gc()
  const {heapUsed, external} = process.memoryUsage()
  process.stderr.write(`${JSON.stringify({event: 'memory_used', bytes: heapUsed + external})}\n`)
})
