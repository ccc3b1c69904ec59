// Says which installation a state directory is, as a felhom that was started at the same moment would: DIR.
import {openInstallId} from '../../src/lib/store/install-id.ts'

process.stdout.write(`${openInstallId(process.argv[2] ?? '')}\n`)
