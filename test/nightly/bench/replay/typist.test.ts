// The typist against the real server with an engine that knows the file: what the server has at the end is what the
// trace says, and what is right is accepted.
import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { ReplayClient } from '../../../../bench/replay/replayClient';
import { servedHere } from '../../../../bench/replay/servedHere';
import { ModelPool } from '../../../../server/hosting/modelPool';
import { newTrace, type Trace } from '../../../../bench/replay/trace';
import { Typist, type Played } from '../../../../bench/replay/typist';
import { settle } from '../../../../server/completion/session/suggest';
import type { DecodeRequest, Decode } from '../../../../server/engine/decode/decode';
import { loading, ScriptedEngine } from '../../../lsp/scriptedEngine';

const TEXT = `// Counts words.
export class WordCount {
  private readonly counts = new Map<string, number>();

  add(word: string): void {
    const count = this.counts.get(word) ?? 0;
    this.counts.set(word, count + 1);
  }

  most(): string | undefined {
    const sorted = [...this.counts].sort((a, b) => b[1] - a[1]);
    return sorted[0]?.[0];
  }
}
`;
const FILE = { fileName: 'words.ts', languageId: 'typescript', text: TEXT };
/** Longer than any suggestion that is cut by syntax. */
const AHEAD = 60;

/** Goes on as the file does, as long as what is there is right. */
class Oracle extends ScriptedEngine {
  readonly prompts: string[] = [];

  override decode(promptIds: readonly number[], options: DecodeRequest): Decode {
    const prompt = this.tokenizer.spell(promptIds);
    const [, before = ''] = /\{<\|fim_prefix\|>\}(.*?)\{<\|fim_suffix\|>\}/s.exec(prompt) ?? [];
    if (!prompt.includes('words.ts')) return super.decode(promptIds, options);
    this.prompts.push(prompt);
    const answer = TEXT.startsWith(before) ? TEXT.slice(before.length, before.length + AHEAD) : '?';
    return new ScriptedEngine([[...answer]]).decode(promptIds, options);
  }
}

async function played(trace: Trace) {
  const engine = new Oracle();
  const { reader, writer } = servedHere({
    pool: new ModelPool({ load: loading(engine) }),
    settle,
    pluggedIn: () => Promise.resolve(false),
  });
  const client = new ReplayClient(reader, writer);
  await client.start({ debounceMs: 0, useOpenFiles: false });
  const { signal } = new AbortController();
  return { client, engine, played: await new Typist(client, trace, { speed: 1000, signal }).play() };
}

const FIRST_LINE = '// Counts words.';

/** The document as the server has it: what follows a cursor at the end of its first line, which is never typed. */
async function servedText(client: ReplayClient, engine: Oracle): Promise<string> {
  const document = TextDocument.create('file:///replay/words.ts', 'typescript', 1, '');
  const { token } = new CancellationTokenSource();
  await client.complete(document, { line: 0, character: FIRST_LINE.length }, token);
  const [, text = ''] = /\{<\|fim_suffix\|>\}(.*?)(?:\{<\||$)/s.exec(engine.prompts.at(-1) ?? '') ?? [];
  return FIRST_LINE + text;
}

function assertTyped(trace: Trace, { texts, typedCharacters, acceptedCharacters }: Played): void {
  assert.deepEqual(
    texts,
    trace.documents.map(({ end }) => end),
  );
  assert.ok(typedCharacters + acceptedCharacters > 0);
}

describe('the typist', () => {
  const trace = newTrace([FILE], { seed: 2, keys: 260, generate: 'never' });

  it('leaves the document on the server as the trace says, and accepts what is right', async () => {
    const { client, engine, played: result } = await played(trace);
    assertTyped(trace, result);
    assert.equal(await servedText(client, engine), trace.documents.at(-1)?.end);
    assert.ok(result.accepts > 0 && result.acceptedCharacters > 10, 'suggestions are accepted');
    assert.ok(result.typedCharacters < trace.keys, 'accepted text needs no keys');
    assert.equal(result.interrupted, false);
    const offered = result.asked.filter(({ isRight }) => isRight !== undefined);
    const right = offered.filter(({ isRight }) => isRight).length;
    assert.ok(right > offered.length / 2, `${String(right)} of ${String(offered.length)} are right`);
  });
});
