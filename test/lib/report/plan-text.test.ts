import {expect} from 'chai'
import {showOptionValue} from '../../../src/lib/app/plan/plan-cluster.ts'
import type {ActualCluster, ActualGuest} from '../../../src/lib/model/actual.ts'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {renderPlanMarkdown} from '../../../src/lib/report/plan-markdown.ts'
import {renderPlan} from '../../../src/lib/report/plan-text.ts'
import {actualCluster, actualGuest} from '../../support/actual-cluster.ts'
import {planText} from '../../support/plan-text.ts'

const LIVE = {
  description: 'one line\n',
  memory: '512',
  mp0: 'local-lvm:vm-101-disk-1,mp=/data,size=8G',
  net0: 'name=eth0,bridge=vmbr0,gw=10.0.0.1,hwaddr=BC:24:11:00:00:01,ip=10.0.0.5/24,type=veth',
  tty: '2',
}

const live = (current: Record<string, string> = LIVE, change: Partial<ActualGuest> = {}): ActualCluster =>
  actualCluster({
    guests: [
      actualGuest(101, {config: {known: true, current, pending: [], digest: 'a'.repeat(40)}, ...change}),
    ],
  })

const text = (guests: string, cluster = live(), width = 80): string =>
  renderPlan(planText(guests, cluster), {palette: makePalette(false), width, showValue: showOptionValue})

const lines = (guests: string, cluster = live()): string[] => text(guests, cluster).split('\n')

describe('the text of a plan', () => {
  it('shows of a property string the parts that differ, keys in line', () => {
    expect(
      lines('{101: {kind: lxc, config: {net0: {bridge: vmbr1, ip: dhcp, gw: null, firewall: true}}}}'),
    ).to.include.members([
      '      ~ net0 = {   # hwaddr kept',
      '          ~ bridge   = vmbr0 -> vmbr1',
      '          + firewall = 1',
      '          - gw       = 10.0.0.1',
      '          ~ ip       = 10.0.0.5/24 -> dhcp',
      '        }',
    ])
  })

  it('shows a machine\u2019s memory as a size, although it has parts', () => {
    const machine = live({memory: '4096'}, {kind: 'qemu', run: 'stopped'})
    expect(lines('{101: {kind: qemu, config: {memory: 8GiB}}}', machine)).to.include(
      '      ~ memory = 4GiB -> 8GiB',
    )
  })

  it('shows a text of one line in one line, and a longer one as a diff', () => {
    expect(lines('{101: {kind: lxc, config: {description: other}}}')).to.include(
      '      ~ description = "one line" -> "other"',
    )
    expect(lines('{101: {kind: lxc, config: {description: "one line\\nand another"}}}')).to.include.members([
      '      ~ description = <text>',
      '            one line',
      '          + and another',
    ])
  })

  it('has only those symbols in its legend that it uses', () => {
    expect(lines('{101: {kind: lxc, config: {memory: 1GiB}}}').slice(0, 3)).to.deep.equal([
      'felhom will perform the following actions:',
      '  ~ update in place',
      '',
    ])
  })

  it('says of each change what it costs where they do not all cost the same', () => {
    const mixed = lines('{101: {kind: lxc, config: {memory: 1GiB, tty: 3}}}')
    expect(mixed).to.include.members([
      '      ~ memory = 512MiB -> 1GiB   # live',
      '      ~ tty    = 2 -> 3   # pending until a restart',
    ])
    expect(lines('{101: {kind: lxc, restart: allowed, config: {tty: 3}}}')).to.include.members([
      '      ~ tty = 2 -> 3   # takes effect with the restart',
      '      ~ run = running (restarts)   # tty takes effect only after a restart',
    ])
  })

  it('names the changes that something stands in the way of, unless it is all of them', () => {
    const some = text('{101: {kind: lxc, config: {memory: 1GiB}, disks: {mp0: null}}}', live(), 120)
    expect(some).to.contain('! not carried out now (mp0): it can lose data')
    const all = text('{101: {kind: lxc, config: {memory: 1GiB}}}', live(LIVE, {lock: 'backup'}))
    expect(all).to.contain('! not carried out now: locked (backup)')
  })

  it('does not say that all is well where something could not be compared', () => {
    const blind = actualCluster({guests: [actualGuest(101, {config: {known: false, reason: '403'}})]})
    expect(text('{101: {kind: lxc, config: {memory: 1GiB}}}', blind)).to.match(
      /^Warning: the config of lxc\/101 could not be read \(403\)[^]*No changes\. But for the warnings, your guests match/,
    )
  })

  it('fits narrow terminals but for values that cannot be broken', () => {
    const narrow = text(
      '{101: {kind: lxc, restart: allowed, config: {memory: 1GiB, tty: 3, hookscript: "local:snippets/a.pl"}, disks: {mp0: null}}}',
      live(),
      60,
    )
    const tooLong = narrow.split('\n').filter((line) => line.length > 60)
    for (const line of tooLong) expect(line).to.match(/^ {6}[-+~] |^ {2}# lxc|^Plan:|action|left alone/)
  })
})

describe('the Markdown of a plan', () => {
  it('lets no value end its block or become a tag, a mention or a link', () => {
    const hostile = '```\n</details><img src=x>@everyone [a](b)'
    const cluster = live({...LIVE, description: hostile}, {name: '<b>@all</b> `x`'})
    const markdown = renderPlanMarkdown(
      planText('{101: {kind: lxc, config: {description: "calm\\nagain"}}}', cluster),
      showOptionValue,
    )
    expect(markdown.match(/^```/gm)).to.have.length(2)
    expect(markdown.match(/<\/details>/g)?.length).to.equal(2)
    expect(markdown).to.contain('<code>lxc/101 &lt;b&gt;@all&lt;/b&gt; `x` on pve1</code>')
  })
})
