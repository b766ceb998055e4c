// Tests suggestions that are unlikely to be kept, with the probabilities of the embedded model: they are hidden unless
// they are requested.
import assert from 'node:assert/strict';
import { CancellationTokenSource, type CancellationToken } from 'vscode-languageserver/node';
import { insertedText, type EditorClient, type Place } from './editorClient';
import { loadEmbedded, serverInMemory } from './serverInMemory';

const SUM = 'export function sum(a: number, b: number): number {\n  ║\n}\n';

describe('flashline.hideBelow', () => {
  let client: EditorClient;
  beforeEach(() => {
    client = serverInMemory(loadEmbedded);
  });
  afterEach(() => client.connection.sendRequest('shutdown'));

  it('hides suggestions that are unlikely to be kept, except requested ones', async () => {
    await client.start({ hideBelow: 100, maxSuggestionTokens: 16 });
    const place = await client.open('sum.ts', SUM);
    assert.equal((await client.complete(place))?.length ?? 0, 0);
    await client.until(() => client.rows.some(({ outcome }) => outcome === 'hidden'));
    const onRequest = await client.complete(place, { invoked: true });
    assert.match(onRequest?.map(insertedText).join() ?? '', /return a \+ b/);
  });

  it('keeps likely suggestions and reports their probability', async () => {
    await client.start({ hideBelow: 1, maxSuggestionTokens: 16 });
    const [item] = (await client.complete(await client.open('sum.ts', SUM))) ?? [];
    assert.match(item ? insertedText(item) : '', /return a \+ b/);
    const { keepProbability } = item as unknown as { readonly keepProbability?: number };
    assert.ok(keepProbability !== undefined && keepProbability > 0.3 && keepProbability < 1);
  });

  it('hides text after a preselected entry that the model would not write', async () => {
    const list = 'export function show(names: string[]): void {\n  con║\n}\n';
    /** Returns the inserted text when an entry is selected. */
    const textForEntry = async (
      place: Place,
      text: string,
      token?: CancellationToken,
    ): Promise<string | undefined> => {
      const { line, character } = place.position;
      const range = { start: { line, character: character - 'con'.length }, end: place.position };
      return await client.text(place, { selected: { range, text }, ...(token && { token }) });
    };
    await client.start({ hideBelow: 1, maxSuggestionTokens: 16 });
    const place = await client.open('show.ts', list);
    assert.equal(await textForEntry(place, 'confirm'), undefined);
    await client.until(() => client.rows.some(({ outcome }) => outcome === 'hidden'));
    assert.match((await textForEntry(await client.open('other.ts', list), 'console')) ?? '', /^console\./);
    await textForEntry(place, 'const');
    // VS Code cancels the request for an entry that the user goes to, and repeats it.
    const source = new CancellationTokenSource();
    const cancelled = textForEntry(place, 'confirm', source.token);
    source.cancel();
    await cancelled;
    // A repeated request means that the user has selected the entry.
    assert.match((await textForEntry(place, 'confirm')) ?? '', /^confirm\(/);
    await client.settings({ hideBelow: 0, maxSuggestionTokens: 16, debounceMs: 0 });
    assert.match((await textForEntry(await client.open('third.ts', list), 'confirm')) ?? '', /^confirm\(/);
  });
});
