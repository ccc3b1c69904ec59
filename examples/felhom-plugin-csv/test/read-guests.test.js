import assert from 'node:assert/strict'
import {test} from 'node:test'
import {readGuests} from '../lib/read-guests.js'

const read = (/** @type {string[]} */ ...lines) => readGuests(lines.join('\n'), 'guests.csv')

test('makes a guest of each line, and says nothing for empty cells', () => {
  assert.deepEqual(
    read(
      'vmid,kind,hostname,memory,cores,tags,run,onboot',
      '101,lxc,dns1,1GiB,1,dns infra,running,true',
      '',
      '# not this one',
      '201,qemu,vm1,,,,,',
    ),
    {
      101: {
        kind: 'lxc',
        run: 'running',
        config: {hostname: 'dns1', memory: '1GiB', cores: 1, tags: ['dns', 'infra'], onboot: true},
      },
      201: {kind: 'qemu', config: {name: 'vm1'}},
    },
  )
})

test('keeps apart what counts at creation', () => {
  assert.deepEqual(read('vmid,kind,node,template,storage', '300,lxc,pve1,local:vztmpl/x.tar.zst,local-lvm'), {
    300: {kind: 'lxc', node: 'pve1', create: {template: 'local:vztmpl/x.tar.zst', storage: 'local-lvm'}},
  })
})

test('reads quotes, line ends of any kind and a byte order mark', () => {
  const text = '\uFEFFvmid,kind,description\r\n101,lxc,"says ""hi"", twice\nover"\r\n102,lxc,plain\r\n'
  assert.deepEqual(readGuests(text, 'guests.csv'), {
    101: {kind: 'lxc', config: {description: 'says "hi", twice\nover'}},
    102: {kind: 'lxc', config: {description: 'plain'}},
  })
})

for (const [title, lines, expected] of /** @type {[string, string[], string][]} */ ([
  ['an empty file', [], 'guests.csv:1: it holds no header'],
  ['no column kind', ['vmid,memory'], 'guests.csv:1: the header names no column kind'],
  ['a column twice', ['vmid,kind,run,run'], 'guests.csv:1: the header names the column run twice'],
  ['a column without a name', ['vmid,kind,'], 'guests.csv:1: a column has no name'],
  ['no number', ['vmid,kind', 'x,lxc'], 'guests.csv:2: vmid is a number from 100 on, not "x"'],
  ['an unknown kind', ['vmid,kind', '101,pod'], 'guests.csv:2: kind is lxc or qemu, not "pod"'],
  ['cells too few', ['vmid,kind,run', '101,lxc'], 'guests.csv:2: it holds 2 cells, and the header 3'],
  ['a guest twice', ['vmid,kind', '101,lxc', '', '101,lxc'], 'guests.csv:4: guest 101 is in line 2 already'],
  ['an open quote', ['vmid,kind', '101,"lxc'], 'guests.csv:2: a quote is opened here and not closed'],
  [
    'text after a quote',
    ['vmid,kind', '"101"x,lxc'],
    'guests.csv:2: there is something after a closing quote',
  ],
  [
    'a name and a hostname',
    ['vmid,kind,name,hostname', '101,lxc,a,b'],
    'guests.csv:2: it has both a name and a hostname',
  ],
  [
    'a mistake below a cell of two lines',
    ['vmid,kind,description', '101,lxc,"a', 'b"', 'x,lxc,'],
    'guests.csv:4: vmid is a number from 100 on, not "x"',
  ],
]))
  test(`tells the place of ${title}`, () => {
    assert.throws(() => read(...lines), {name: 'CsvError', message: expected})
  })
