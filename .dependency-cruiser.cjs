// The rules are the table of ARCHITECTURE.md, read from there: one place says who may import whom.
const {readFileSync} = require('node:fs')
const {join} = require('node:path')

const lines = readFileSync(join(__dirname, 'ARCHITECTURE.md'), 'utf8').split('\n')
const start = lines.findIndex((line) => /^\| room\s*\| rooms\s*\| packages\s*\|/.test(line))
if (start < 0) throw new Error('ARCHITECTURE.md has lost its table of rooms')
const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'))
const cells = (line) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
const list = (cell) => (cell === '–' ? [] : cell.split(',').map((word) => word.trim().replaceAll('`', '')))
const rooms = lines.slice(start + 2, end).map((line) => {
  const [room, rooms, packages] = cells(line)
  return {room, rooms: list(rooms), packages: list(packages)}
})

const escape = (text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
const folder = (room) => (room === 'commands' ? '^src/commands/' : `^src/lib/${escape(room)}/`)
const packagePath = (name) =>
  name === 'node:*' ? [] : [`^node_modules/${escape(name)}/`, `^${escape(name.replace('node:', ''))}$`]

const forbidden = rooms.flatMap(({room, rooms: others, packages}) => {
  const allowed = [folder(room), ...others.map(folder)]
  return [
    {
      name: `${room}-imports-rooms`,
      severity: 'error',
      from: {path: folder(room)},
      to: {path: '^src/', pathNot: allowed},
    },
    {
      name: `${room}-imports-packages`,
      severity: 'error',
      from: {path: folder(room)},
      to: {dependencyTypesNot: ['local', 'core'], pathNot: ['^src/', ...packages.flatMap(packagePath)]},
    },
    ...(packages.includes('node:*')
      ? []
      : [
          {
            name: `${room}-imports-node`,
            severity: 'error',
            from: {path: folder(room)},
            to: {dependencyTypes: ['core'], pathNot: packages.flatMap(packagePath)},
          },
        ]),
  ]
})

module.exports = {
  forbidden: [
    ...forbidden,
    {name: 'no-cycles', severity: 'error', from: {path: '^src/'}, to: {circular: true}},
    {
      name: 'no-room-without-a-row',
      severity: 'error',
      from: {
        path: '^src/lib/',
        pathNot: rooms.filter(({room}) => room !== 'commands').map(({room}) => folder(room)),
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: {path: 'node_modules'},
    tsPreCompilationDeps: true,
    tsConfig: {fileName: 'tsconfig.json'},
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
