import {expect} from 'chai'
import fc from 'fast-check'
import {gzipSync} from 'node:zlib'
import type {TLSSocket} from 'node:tls'
import {HttpsSource, type HttpsOptions} from '../../../src/lib/source/https-source.ts'
import {readMemory} from '../../../src/lib/source/source-memory.ts'
import type {Fetched, Seen} from '../../../src/lib/source/source.ts'
import {createAuthority, type Authority, type Identity} from '../../support/certificates.ts'
import {
  httpAnswer,
  resetConnection,
  startScriptedServer,
  startSilentServer,
  unusedPort,
  type Script,
  type ScriptedServer,
} from '../../support/scripted-server.ts'
import {guestsYaml} from '../../support/source-lab.ts'

const never = new AbortController().signal
const YAML = guestsYaml(101, 102)
const ok = (body: string, headers: string[] = []): string => httpAnswer(200, 'OK', body, headers)

describe('https-source', () => {
  let authority: Authority
  let identity: Identity
  const servers: {close(): Promise<void>}[] = []
  let nowMs = 1_800_000_000_000

  before(async () => {
    authority = await createAuthority()
    identity = await authority.issue()
  })
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })

  async function serve(script: Script): Promise<ScriptedServer> {
    const server = await startScriptedServer(identity, script)
    servers.push(server)
    return server
  }

  const answerWith = (text: string | Buffer): Promise<ScriptedServer> =>
    serve((_request, socket) => socket.end(text))

  const open = (url: string, options: Partial<HttpsOptions> = {}): HttpsSource =>
    new HttpsSource({
      url,
      readCa: () => ({text: authority.pem}),
      clock: {now: () => nowMs},
      random: () => 1,
      ...options,
    })

  const ask = async (url: string, seen?: Seen, options: Partial<HttpsOptions> = {}): Promise<Fetched> =>
    open(url, options).fetch(seen, never)

  const problemOf = (fetched: Fetched): string =>
    'problem' in fetched ? `${fetched.kind}: ${fetched.problem}` : fetched.kind

  it('takes a desired-state file as it is, named after the address', async () => {
    const {url} = await answerWith(ok(YAML))
    const fetched = await ask(`${url}/a/guests.yaml?sig=secret`)
    if (fetched.kind !== 'bundle') throw new Error(problemOf(fetched))
    const {revision, texts} = fetched.bundle
    expect(revision).to.match(/^sha256:[0-9a-f]{64}$/)
    expect(texts.map(({file, bytes}) => [file, Buffer.from(bytes).toString()])).to.deep.equal([
      ['guests.yaml', YAML],
    ])
    const {place, mark} = open(`https://me:secret@hub.example/x?sig=secret`)
    expect(place).to.equal('https://hub.example/x?…')
    expect(open(`https://hub.example/x?sig=other`).mark).to.not.equal(mark)
    expect(open(`https://hub.example/x`)).to.include({place: 'https://hub.example/x', mark: undefined})
  })

  it('takes a bundle, its files by name and its envelopes byte for byte', async () => {
    const envelope = '{ "v" :1,"payload":"bm8=", "signatures":["\\u0066orged"] , "v":1}'
    const body = `{"approvals":[${envelope},\n{}],"felhom_bundle":1,"serial":7,"files":{"b.yaml":"felhom: 1\\n","a/a.yml":"\\u00e9"},"jobs":[{"x":"]}"}]}`
    const {url} = await answerWith(ok(body))
    const fetched = await ask(url)
    if (fetched.kind !== 'bundle') throw new Error(problemOf(fetched))
    const {serial, texts, approvals, jobs} = fetched.bundle
    expect(serial).to.equal(7)
    expect(texts.map(({file, bytes}) => [file, Buffer.from(bytes).toString()])).to.deep.equal([
      ['a/a.yml', 'é'],
      ['b.yaml', 'felhom: 1\n'],
    ])
    expect(approvals.map(({name, bytes}) => [name, Buffer.from(bytes).toString()])).to.deep.equal([
      ['approvals[0]', envelope],
      ['approvals[1]', '{}'],
    ])
    expect(jobs.map(({bytes}) => Buffer.from(bytes).toString())).to.deep.equal(['{"x":"]}"}'])
  })

  it('asks whether it has changed, by ETag, only for what was accepted or is still at hand', async () => {
    const server = await serve(({headers}, socket) =>
      socket.end(
        headers.get('if-none-match') === '"v1"'
          ? httpAnswer(304, 'Not Modified', '', ['ETag: "v1"'])
          : ok(YAML, ['ETag: "v1"']),
      ),
    )
    const source = open(server.url)
    const first = await source.fetch(undefined, never)
    if (first.kind !== 'bundle') throw new Error(first.kind)
    const {revision} = first.bundle
    expect(await source.fetch(undefined, never), 'refused by the keeper: it is given again').to.deep.equal(
      first,
    )
    expect(await source.fetch({revision}, never)).to.deep.equal({kind: 'unchanged'})
    expect(await source.fetch({revision: 'another'}, never), 'no longer at hand').to.deep.equal(first)
    expect(server.requests.map(({headers}) => headers.get('if-none-match'))).to.deep.equal([
      undefined,
      '"v1"',
      '"v1"',
      undefined,
    ])
  })

  it('asks so after a restart too, and leaves a server alone that failed before it', async () => {
    let answer = ok(YAML, ['ETag: "v1"'])
    const server = await serve(({headers}, socket) =>
      socket.end(headers.has('if-none-match') ? httpAnswer(304, 'Not Modified', '') : answer),
    )
    const restart = (source: HttpsSource): HttpsSource => {
      const next = open(server.url)
      next.recall(readMemory(JSON.parse(JSON.stringify(source.remember() ?? null))))
      return next
    }
    const first = open(server.url)
    const fetched = await first.fetch(undefined, never)
    const revision = fetched.kind === 'bundle' ? fetched.bundle.revision : ''
    expect(await restart(first).fetch({revision}, never)).to.deep.equal({kind: 'unchanged'})
    expect((await restart(first).fetch({revision: 'another'}, never)).kind, 'no longer at hand').to.equal(
      'bundle',
    )
    expect((await restart(restart(first)).fetch(undefined, never)).kind).to.equal('bundle')
    answer = httpAnswer(500, 'Oh no', '')
    const failing = open(server.url)
    const failed = await failing.fetch(undefined, never)
    const count = server.requests.length
    expect(await restart(failing).fetch(undefined, never)).to.deep.equal(failed)
    expect(server.requests.length).to.equal(count)
    nowMs += 5000
    answer = ok(YAML)
    expect((await restart(failing).fetch(undefined, never)).kind).to.equal('bundle')
  })

  it('forgets what is not as it was remembered', () => {
    const failure = {fetched: {kind: 'away', problem: 'x'}, failures: 1, untilMs: 5}
    const last = {revision: 'r', validators: {'If-None-Match': '"v1"'}}
    expect(readMemory({last, failure})).to.deep.equal({last, failure})
    for (const value of [
      undefined,
      'x',
      {last: {...last, validators: {Authorization: 'x'}}},
      {last: {...last, validators: {'If-None-Match': 'x\r\nHost: y'}}},
      {last: {validators: last.validators}},
      {failure: {...failure, untilMs: 'soon'}},
      {failure: {...failure, fetched: {kind: 'bundle'}}},
    ])
      expect(readMemory(value), JSON.stringify(value)).to.deep.equal({})
  })

  it('asks by date only where the date is sure', async () => {
    let modified = new Date(nowMs - 3_600_000).toUTCString()
    const server = await serve((_request, socket) =>
      socket.end(ok(YAML, [`Last-Modified: ${modified}`, `Date: ${new Date(nowMs).toUTCString()}`])),
    )
    const source = open(server.url)
    await source.fetch(undefined, never)
    await source.fetch(undefined, never)
    expect(server.requests[1]?.headers.get('if-modified-since')).to.equal(modified)
    modified = new Date(nowMs - 1000).toUTCString()
    await source.fetch(undefined, never)
    await source.fetch(undefined, never)
    expect(server.requests[3]?.headers.has('if-modified-since')).to.equal(false)
  })

  it('refuses a 304 that nobody asked for', async () => {
    const {url} = await answerWith(httpAnswer(304, 'Not Modified', ''))
    expect(problemOf(await ask(url, {revision: 'r1'}))).to.match(/^unusable: .*was not asked/)
  })

  it('notices a serial that is lower than what was seen, or gone', async () => {
    const bundle = (serial: string): string =>
      `{"felhom_bundle":1,${serial}"files":{"a.yaml":"felhom: 1\\n"}}`
    const cases: [string, string | undefined][] = [
      ['"serial":6,', 'its serial is 6, and 7 was seen'],
      ['', 'it has no serial any more, and 7 was seen'],
      ['"serial":7,', undefined],
      ['"serial":8,', undefined],
    ]
    for (const [serial, older] of cases) {
      const {url} = await answerWith(ok(bundle(serial)))
      const fetched = await ask(url, {revision: 'x', serial: 7})
      expect(fetched).to.include({kind: 'bundle'})
      expect('older' in fetched ? fetched.older : undefined).to.equal(older)
    }
  })

  it('never takes a part for the whole, wherever it is cut', async () => {
    const body = JSON.stringify({felhom_bundle: 1, files: {'a.yaml': guestsYaml(101)}, jobs: [{v: 1}]})
    const whole = ok(body)
    const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const unsaid = `HTTP/1.1 200 OK\r\n\r\n${body}`
    let text = ''
    const {url} = await serve((_request, socket) => socket.end(text))
    for (const answer of [whole, chunked, unsaid]) {
      for (let length = 0; length < answer.length; length += 7) {
        text = answer.slice(0, length)
        const {kind} = await ask(url)
        expect(kind, `${length} bytes of ${answer.slice(0, 60)}`).to.be.oneOf(['away', 'unusable'])
      }
    }
    text = whole
    expect((await ask(url)).kind).to.equal('bundle')
    text = whole.replace(/Content-Length: (\d+)/, (_match, n: string) => `Content-Length: ${Number(n) + 1}`)
    expect(problemOf(await ask(url))).to.match(/^away: the connection broke/)
  })

  it('refuses what has not the shape of a bundle', async () => {
    const deep = '['.repeat(200_000)
    const files = (text: string): string => `{"felhom_bundle":1,"files":${text}}`
    const hostile: Record<string, string> = {
      'a key twice': '{"felhom_bundle":1,"files":{},"files":{}}',
      'a file twice': files('{"a.yaml":"","a.yaml":""}'),
      'a file twice in other letters': files('{"a.yaml":"","\\u0061.yaml":""}'),
      'an unknown key': '{"felhom_bundle":1,"files":{},"extra":1}',
      'a prototype': '{"felhom_bundle":1,"files":{},"__proto__":{"x":1}}',
      'a prototype as a file': files('{"__proto__":"x"}'),
      'another version': '{"felhom_bundle":2,"files":{}}',
      'no version': '{"files":{}}',
      'no files': '{"felhom_bundle":1}',
      'a huge number': '{"felhom_bundle":1,"serial":1e400,"files":{}}',
      'a number that is not exact': '{"felhom_bundle":1,"serial":9007199254740993,"files":{}}',
      'a number of many digits': `{"felhom_bundle":1,"serial":${'9'.repeat(1000)},"files":{}}`,
      'a negative number': '{"felhom_bundle":1,"serial":-1,"files":{}}',
      'a list for files': files('[]'),
      'a map for a text': files('{"a.yaml":{}}'),
      'a text for an envelope': '{"felhom_bundle":1,"files":{},"jobs":["x"]}',
      'an envelope that is no JSON': '{"felhom_bundle":1,"files":{},"jobs":[{"a":]}]}',
      'a deep envelope': `{"felhom_bundle":1,"files":{},"jobs":[{"a":${deep}`,
      'an envelope nested too deeply': `{"felhom_bundle":1,"files":{},"jobs":[{"a":${'['.repeat(100)}${']'.repeat(100)}}]}`,
      'a deep text': files(`{"a.yaml":${deep}`),
      'something behind its end': `${files('{}')} {}`,
      'a way up': files('{"../../etc/cron.d/x.yaml":""}'),
      'a way from the top': files('{"/etc/x.yaml":""}'),
      'a control character': files('{"a\\u001b[2J.yaml":""}'),
      'a way of Windows': files('{"..\\\\x.yaml":""}'),
      'no name': files('{"":""}'),
      'a dot file': files('{".git/x.yaml":""}'),
      'another kind of file': files('{"x.sh":""}'),
      'a long name': files(`{"${'a'.repeat(600)}.yaml":""}`),
      'bytes that are no text': files('{"a.yaml":"\xff"}'),
      'a hundred thousand files': files(
        `{${Array.from({length: 100_000}, (_, i) => `"${i}.yaml":""`).join()}}`,
      ),
      'a thousand and one jobs': `{"felhom_bundle":1,"files":{},"jobs":[${Array.from({length: 1001}, () => '{}').join()}]}`,
      'an envelope of a megabyte': `{"felhom_bundle":1,"files":{},"jobs":[{"a":"${'x'.repeat(1 << 20)}"}]}`,
    }
    let body: Buffer
    const {url} = await serve((_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
      socket.end(body)
    })
    for (const [name, text] of Object.entries(hostile)) {
      body = Buffer.from(text, 'latin1')
      expect(problemOf(await ask(url)), name).to.match(/^unusable: it is no bundle: /)
    }
  })

  it('stops at its limit of bytes, whether the length is told or not', async () => {
    const limits = {maxBytes: 1000}
    const told = await answerWith(ok('x'.repeat(1001)))
    expect(problemOf(await ask(told.url, undefined, {limits}))).to.equal(
      'unusable: it sends 1001 bytes, more than 1000',
    )
    let closed: () => void = () => undefined
    const isClosed = new Promise<void>((resolve) => (closed = resolve))
    const endless = await serve((_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      const timer = setInterval(() => socket.write(`400\r\n${'x'.repeat(1024)}\r\n`), 1)
      socket.on('close', () => {
        clearInterval(timer)
        closed()
      })
    })
    expect(problemOf(await ask(endless.url, undefined, {limits}))).to.equal(
      'unusable: it sends more than 1000 bytes',
    )
    await isClosed
  })

  it('unfolds nothing: what is compressed was not asked for', async () => {
    const bomb = gzipSync(Buffer.alloc(1 << 20))
    const server = await serve((_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
      socket.end(bomb)
    })
    expect(problemOf(await ask(server.url))).to.match(/^unusable: its answer is compressed/)
    expect(server.requests[0]?.headers.get('accept-encoding')).to.equal('identity')
  })

  it('waits no longer than its limit for a drip, for silence and for a handshake', async () => {
    const limits = {totalMs: 150}
    const drip = await serve((_request, socket: TLSSocket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')
      const timer = setInterval(() => socket.write('x'), 5)
      socket.on('close', () => clearInterval(timer))
    })
    const silent = await serve(() => undefined)
    const mute = await startSilentServer()
    servers.push(mute)
    for (const {url} of [drip, silent, mute])
      expect(problemOf(await ask(url, undefined, {limits}))).to.equal(
        'away: the answer was not in within 0.15 s',
      )
  })

  it('follows redirects over https only, a few, and shows the token to its own host alone', async () => {
    const other = await answerWith(ok(YAML))
    const home = await serve(({target}, socket) => {
      const to: Record<string, string> = {
        '/elsewhere': `${other.url}/x.yaml`,
        '/here': '/there',
        '/plain': 'http://127.0.0.1/x.yaml',
        '/file': 'file:///etc/passwd',
        '/loop': '/loop',
        '/nowhere': 'https://[',
      }
      const location = to[target]
      socket.end(location === undefined ? ok(YAML) : httpAnswer(302, 'Found', '', [`Location: ${location}`]))
    })
    const options = {readToken: () => ({text: 'hub-secret\n'})}
    const fetchAt = (path: string): Promise<Fetched> => ask(`${home.url}${path}`, undefined, options)
    expect((await fetchAt('/elsewhere')).kind).to.equal('bundle')
    expect(other.requests[0]?.headers.has('authorization')).to.equal(false)
    expect(other.received()).to.not.include('hub-secret')
    expect((await fetchAt('/here')).kind).to.equal('bundle')
    expect(home.requests.map(({headers}) => headers.get('authorization'))).to.deep.equal([
      'Bearer hub-secret',
      'Bearer hub-secret',
      'Bearer hub-secret',
    ])
    expect(problemOf(await fetchAt('/plain'))).to.equal(
      'unusable: it redirects to http://127.0.0.1, not to https',
    )
    expect(problemOf(await fetchAt('/file'))).to.match(/^unusable: .*not to https/)
    expect(problemOf(await fetchAt('/loop'))).to.equal('unusable: it redirects more than 3 times')
    expect(problemOf(await fetchAt('/nowhere'))).to.equal('unusable: it redirects to nowhere')
  })

  it('asks nothing of a server that it cannot trust', async () => {
    const script: Script = (_request, socket) => socket.end(ok(YAML))
    const [stale, foreign] = await Promise.all([
      authority.issue({expired: true}),
      authority.issue({hosts: ['hub.example']}),
    ])
    for (const bad of [stale, foreign]) {
      const server = await startScriptedServer(bad, script)
      servers.push(server)
      expect(problemOf(await ask(server.url, undefined, {readToken: () => ({text: 't'})}))).to.match(
        /^away: its certificate is not trusted \(/,
      )
      expect(server.received()).to.equal('')
    }
    const unknown = await answerWith(ok(YAML))
    const source = new HttpsSource({url: unknown.url, clock: {now: () => nowMs}})
    expect(problemOf(await source.fetch(undefined, never))).to.match(
      /^away: its certificate is not trusted \(/,
    )
    expect(unknown.received()).to.equal('')
  })

  it('trusts nobody where its own authority is not written yet, and not all the public ones', async () => {
    const server = await answerWith(ok(YAML))
    const readToken = (): {text: string} => ({text: 't'})
    for (const text of ['', '\n', 'no certificate\n'])
      expect(problemOf(await ask(server.url, undefined, {readToken, readCa: () => ({text})}))).to.equal(
        'away: the file with its certificate authority holds no certificate',
      )
    expect(server.received()).to.equal('')
    const cut = authority.pem.slice(0, 200)
    expect(problemOf(await ask(server.url, undefined, {readToken, readCa: () => ({text: cut})}))).to.match(
      /^away: /,
    )
    expect(server.received()).to.equal('')
  })

  it('says why without saying secrets when its files cannot be read or used', async () => {
    const {url, requests} = await answerWith(ok(YAML))
    const gone = {problem: 'hub-token does not exist'}
    expect(problemOf(await ask(url, undefined, {readToken: () => gone}))).to.equal(`away: ${gone.problem}`)
    expect(problemOf(await ask(url, undefined, {readCa: () => gone}))).to.equal(`away: ${gone.problem}`)
    const split = problemOf(await ask(url, undefined, {readToken: () => ({text: 'a\r\nX-Evil: 1'})}))
    expect(split)
      .to.match(/^away: the token file/)
      .and.not.include('Evil')
    expect(requests).to.deep.equal([])
  })

  it('leaves a server alone that fails, longer each time, and as long as it asks', async () => {
    let answer = httpAnswer(500, 'Oh no', '')
    const server = await serve((_request, socket) => socket.end(answer))
    const source = open(server.url)
    const fetchAfter = async (ms: number): Promise<string> => {
      nowMs += ms
      return problemOf(await source.fetch(undefined, never))
    }
    const failed = 'away: it answered with status 500'
    const waits: number[] = []
    for (const ms of [0, 4999, 1, 9999, 1, 19_999, 1]) {
      expect(await fetchAfter(ms)).to.equal(failed)
      waits.push(server.requests.length)
    }
    expect(waits).to.deep.equal([1, 1, 2, 2, 3, 3, 4])
    answer = httpAnswer(503, 'Busy', '', ['Retry-After: 3000'])
    await fetchAfter(40_000)
    answer = ok(YAML)
    await fetchAfter(2_999_999)
    expect(server.requests.length).to.equal(5)
    expect(await fetchAfter(1)).to.equal('bundle')
    answer = httpAnswer(429, 'Slow', '', [`Retry-After: ${new Date(nowMs + 86_400_000).toUTCString()}`])
    await fetchAfter(0)
    answer = ok(YAML)
    expect(await fetchAfter(3_600_000), 'never longer than an hour').to.equal('bundle')
  })

  it('says that it is away when nobody listens, hangs up or speaks something else', async () => {
    expect(problemOf(await ask(`https://127.0.0.1:${await unusedPort()}`))).to.equal(
      'away: the connection was refused',
    )
    const rude = await serve((_request, socket) => resetConnection(socket))
    expect(problemOf(await ask(rude.url))).to.match(/^away: the connection broke/)
    const babble = await answerWith('SSH-2.0-OpenSSH\r\n\r\n')
    expect(problemOf(await ask(babble.url))).to.match(/^away: its answer is not HTTP/)
    const plain = await startSilentServer('HTTP/1.1 400 Bad\r\n\r\n')
    servers.push(plain)
    expect((await ask(plain.url)).kind).to.equal('away')
  })

  for (const ends of [true, false])
    it(`takes no other protocol for an answer, with the connection ${ends ? 'closed' : 'left open'}`, async () => {
      const upgrade = 'Connection: Upgrade\r\nUpgrade: x\r\n\r\n'
      for (const [text, expected] of [
        [`HTTP/1.1 101 Switching Protocols\r\n${upgrade}`, 'away: it answered with status 101'],
        [`HTTP/1.1 101 Switching Protocols\r\n${upgrade}${ok(YAML)}`, 'away: it answered with status 101'],
        ['HTTP/1.1 101 Switching Protocols\r\nContent-Length: 0\r\n\r\n', 'away: '],
        [`HTTP/1.1 103 Early Hints\r\n\r\n`, 'away: '],
        [ok(YAML, ['Connection: Upgrade', 'Upgrade: x']), 'bundle'],
      ] as const) {
        const {url} = await serve((_request, socket) => (ends ? socket.end(text) : socket.write(text)))
        const fetched = await ask(url, undefined, {limits: {totalMs: 1500}})
        expect(problemOf(fetched), JSON.stringify(text.slice(0, 60))).to.match(new RegExp(`^${expected}`))
      }
    })

  it('throws when it is aborted, and only then', async () => {
    const {url} = await serve(() => controller.abort(new Error('told to end')))
    const controller = new AbortController()
    let thrown: unknown
    await open(url)
      .fetch(undefined, controller.signal)
      .catch((error: unknown) => (thrown = error))
    expect(String(thrown)).to.include('told to end')
  })

  it('answers whatever bytes come', async () => {
    let bytes = Buffer.alloc(0)
    const {url} = await serve((_request, socket) => socket.end(bytes))
    const body = fc.oneof(
      fc.uint8Array({maxLength: 200}).map((array) => Buffer.from(array)),
      fc.json().map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(`{"felhom_bundle":1,"files":${text}`)),
    )
    const answer = fc.oneof(
      body,
      body.map((content) =>
        Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${content.length}\r\n\r\n`), content]),
      ),
    )
    await fc.assert(
      fc.asyncProperty(answer, async (sent) => {
        bytes = sent
        expect(['bundle', 'away', 'unusable']).to.include((await ask(url, {revision: 'r'})).kind)
      }),
      {numRuns: 60},
    )
  })
})
