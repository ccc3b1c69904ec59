// Daemons killed with SIGKILL under load, a share of what `npm run kill-storm -- --daemon 100` does.
import {expect} from 'chai'
import {DaemonLab} from './daemon-lab.ts'
import {killDaemons} from './daemon-storm.ts'

const KILLS = 8
const SEED = 1

describe('felhom daemon, killed again and again while others keep changing guests', function () {
  this.timeout(300_000)
  let lab: DaemonLab
  before(async () => {
    lab = await DaemonLab.start()
  })
  after(() => lab.stop())

  it(`loses nothing and does nothing twice in ${KILLS} kills`, async () => {
    const {kills, interrupted, operations} = await killDaemons(lab, KILLS, SEED)
    expect(kills).to.equal(KILLS)
    expect(interrupted, 'kills that interrupted something').to.be.greaterThan(0)
    expect(operations).to.be.greaterThan(KILLS)
  })
})
