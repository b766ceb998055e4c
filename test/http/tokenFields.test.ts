// Tests /tokenize, /detokenize, /props, /health and /metrics, and what the log omits.
import assert from 'node:assert/strict';
import { ScriptedEngine } from '../lsp/scriptedEngine';
import { at } from './answers';
import { ScriptedServer } from './scriptedServer';
import { ServedPair } from './servedPair';

describe('tokens and properties over HTTP', function () {
  this.timeout(600_000);
  let served: ServedPair;
  before(async () => {
    served = await ServedPair.start();
  });
  after(() => served.end());

  it('restores a tokenised text, including spelled special tokens', async () => {
    // Detokenizing pauses after a number of tokens; in one of these texts, a character spans such a pause.
    const long = ['', 'a', 'a\n'].map((begin) => begin + '🙂'.repeat(999));
    // Lists of more than 10,000 tokens are sent in parts.
    const texts = [
      'def add(a, b):\n',
      'a <|fim_prefix|> b',
      'größe = "☃"',
      '',
      '\uFEFFa',
      '0 '.repeat(12_000),
    ];
    for (const content of [...texts, ...long]) {
      const { body } = await served.post('/tokenize', { content });
      const { body: back } = await served.post('/detokenize', { tokens: at(body, 'tokens') });
      assert.equal(at(back, 'content'), content);
    }
  });

  it('adds the start tokens of the model only on request, and only once', async () => {
    const engine = new ScriptedEngine();
    Object.assign(engine.tokenizer, { textStart: { ids: [1, 2], space: '' } });
    const scripted = await ScriptedServer.start(engine);
    for (const [content, isSpecial, tokens] of [
      ['ab', undefined, [97, 98]],
      ['ab', true, [1, 2, 97, 98]],
      ['\u0001\u0002ab', true, [1, 2, 97, 98]],
      ['\u0001ab', true, [1, 2, 1, 97, 98]],
      ['', true, [1, 2]],
    ] as const) {
      const { body } = await scripted.post('/tokenize', { content, add_special: isSpecial });
      assert.deepEqual(at(body, 'tokens'), tokens, JSON.stringify(content));
    }
    await scripted.server.stop(0);
  });

  it('accepts long lists of token ids in any spelling of JSON, and refuses malformed ones', async () => {
    const tokens = Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 16_000);
    const ids = tokens.join(', ');
    const { body: expected } = await served.post('/detokenize', { tokens: tokens.slice(0, 9) });
    const longer = await served.post(
      '/detokenize',
      `{"tokens":[1],\n "to\\u006bens" : [ ${ids}\t] , "x":{"y":[]}}`,
    );
    assert.ok(String(at(longer.body, 'content')).startsWith(String(at(expected, 'content')).slice(0, -1)));
    assert.deepEqual(longer.body, (await served.post('/detokenize', JSON.stringify({ tokens }))).body);
    const wrong = [
      `[${ids}`.padEnd(400_000).concat(',]'),
      `[,${ids}]`,
      `[${ids} 7]`,
      `[${ids}]]`,
      `[${ids}}`,
    ];
    const bodies = [...wrong.map((list) => `{"tokens":${list}}`), `\uF000{"tokens":[${ids}]}`];
    for (const malformed of bodies) {
      const { status, body } = await served.post('/detokenize', malformed);
      assert.equal(status, 400);
      assert.match(String(at(body, 'error.message')), /JSON/);
    }
    const { body } = await served.post('/detokenize', `{"tokens":[${ids},"a"]}`);
    assert.equal(at(body, 'error.param'), 'tokens');
  });

  it('tokenises special tokens as text on request, and returns pieces', async () => {
    const tokens = async (more: object) =>
      at(
        (await served.post('/tokenize', { content: 'x<|fim_prefix|>', ...more })).body,
        'tokens',
      ) as unknown[];
    const special = served.engine.tokenizer?.specialTokenId('<|fim_prefix|>');
    assert.deepEqual((await tokens({})).at(-1), special);
    assert.equal((await tokens({ parse_special: false })).includes(special), false);
    assert.deepEqual((await tokens({ with_pieces: true })).at(-1), { id: special, piece: '<|fim_prefix|>' });
    const pieces = (await tokens({ content: 'é😀', with_pieces: true })) as { piece: string | number[] }[];
    const bytes = pieces.map(({ piece }) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
    assert.ok(pieces.some(({ piece }) => typeof piece !== 'string'));
    assert.equal(Buffer.from(bytes.flatMap((pieceBytes) => [...pieceBytes])).toString(), 'é😀');
  });

  it('reports the model in /props and counters in /metrics', async () => {
    assert.deepEqual((await served.get('/health')).body, { status: 'ok' });
    const props = (await served.get('/props')).body;
    assert.deepEqual([at(props, 'default_generation_settings.n_ctx'), at(props, 'total_slots')], [2048, 4]);
    assert.equal(at(props, 'n_ctx_train'), 2048);
    assert.match(at(props, 'build_info') as string, /^flashline \d/);
    assert.equal(at(props, 'chat_template'), '');
    const names = ['model_alias', 'model_path', 'flashline.target'].map((path) => at(props, path));
    assert.deepEqual(names, ['embedded', 'embedded', 'embedded']);
    assert.equal(at(props, 'default_generation_settings.speculative'), true);
    const { created, ...entry } = at((await served.get('/v1/models')).body, 'data.0') as Record<
      string,
      unknown
    >;
    assert.deepEqual(entry, {
      id: 'embedded',
      object: 'model',
      owned_by: 'flashline',
      max_model_len: 2048,
      meta: { n_vocab: 24_576, n_ctx: 2048, n_ctx_train: 2048 },
    });
    // `created` is in seconds.
    assert.equal(new Date(1000 * Number(created)).getUTCFullYear(), new Date().getUTCFullYear());
    await served.post('/v1/completions', { prompt: 'x = ', max_tokens: 5 });
    const { headers, body } = await served.get('/metrics');
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    const metrics = body as string;
    assert.match(metrics, /\nflashline_output_tokens_total 5\n/);
    assert.match(metrics, /\nflashline_requests_total\{endpoint="\/v1\/completions",status="200"\} 1\n/);
    assert.match(metrics, /\nflashline_time_to_first_token_seconds_count 1\n/);
    assert.match(metrics, /\nflashline_drafted_tokens_total\{drafter="dflash"\} \d/);
    for (const name of ['queue_length', 'running_requests'])
      assert.match(metrics, new RegExp(`\\nflashline_${name} 0\\n`));
  });

  it('logs no text of a request', async () => {
    await served.post('/v1/completions', { prompt: 'secretPrompt = ', max_tokens: 'secretNumber' });
    await served.get('/secretPath?secret=query');
    assert.ok(served.lines.length > 3);
    assert.equal(
      served.lines.some((line) => line.includes('secret')),
      false,
    );
  });

  it('reads special tokens as text in a conversation, and as tokens in a plain prompt', async () => {
    const tokens = ['<|im_start|>', '<|im_end|>', '<|fim_middle|>', '<|endoftext|>'];
    const ids = tokens.map((token) => served.engine.tokenizer?.specialTokenId(token));
    const specialIds = async (path: string, body: object): Promise<readonly number[]> => {
      const { status } = await served.post(path, { max_tokens: 1, ...body });
      assert.equal(status, 200);
      return served.decodes.at(-1)?.promptIds.filter((id) => ids.includes(id)) ?? [];
    };
    const chat = (role: string, content: string): Promise<readonly number[]> =>
      specialIds('/v1/chat/completions', {
        messages: [
          { role, content },
          { role: 'user', content: 'x' },
        ],
      });
    const spelled = `${tokens.join('')}\n${tokens.join(' ')}`;
    for (const role of ['system', 'user', 'assistant'])
      assert.deepEqual(await chat(role, spelled), await chat(role, 'Hello.'), role);
    assert.deepEqual(await specialIds('/v1/completions', { prompt: `a${tokens.join('b')}` }), ids);
    assert.deepEqual(await specialIds('/v1/completions', { prompt: 'a', suffix: tokens.join('b') }), [
      ids[2],
    ]);
  });
});
