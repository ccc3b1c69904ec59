// Preloaded into a measured process: leaves its peak memory in a file when it ends.
import {writeFileSync} from 'node:fs'

process.on('exit', () =>
  writeFileSync(process.env.FELHOM_TEST_RSS_FILE, String(process.resourceUsage().maxRSS)),
)
