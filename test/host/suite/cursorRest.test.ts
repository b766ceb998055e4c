// Tests that the prompt of a visited file is read before its first key, and that later prompts can quote the file.
import assert from 'node:assert/strict';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, rowsOf, show, trigger, type } from '../flashline';

const DEFINED = 'export class Harbour {\n  dock(vessel, berth) {\n    return berth;\n  }\n}\n';
const CALLS = 'const harbour = new Harbour();\nharbour.dock(vessel, berth);\n';
const USED = `${CALLS}${'// Ships come and go.\n'.repeat(30)}harbour.dock(vessel, ‸\n`;
/** Maximum number of tokens read for the first key, more than a key changes. */
const MAX_READ = 24;

describe('a resting cursor', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });
  afterEach(closeEditors);

  const isPrefetched = (file: string): boolean =>
    api.rows().some((row) => row.file === file && row.kind === 'prefetch');

  it('reads the prompt of a visited file before its first key, and lets later prompts quote the file', async () => {
    await show('looked/harbour.ts', DEFINED);
    await until('the prompt of harbour.ts is read', () => isPrefetched('harbour.ts'));
    await closeEditors();
    await show('looked/port.ts', USED);
    await until('the prompt of port.ts is read', () => isPrefetched('port.ts'));
    await until('a suggestion was computed', async () => {
      await type('b');
      await trigger();
      return rowsOf(api, 'port.ts').length > 0;
    });
    const [{ stats, prompt } = assert.fail()] = rowsOf(api, 'port.ts');
    assert.ok(prompt?.some(({ file }) => file === 'harbour.ts'));
    const { promptTokens, reusedTokens } = stats;
    const counts = `${reusedTokens} of ${promptTokens} tokens are reused`;
    assert.ok(promptTokens > 200 && promptTokens - reusedTokens <= MAX_READ, counts);
  });
});
