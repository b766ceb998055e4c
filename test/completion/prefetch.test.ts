// What must stay out of prompts is not looked ahead for. When that runs and when not is in test/lsp/prefetch.test.ts.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { completionContext, type DocumentSnapshot } from '../../server/completion/prompt/context';
import { documentSnapshot } from '../../server/completion/prompt/eligibility';
import { acceptedDocument, Prefetch, type Accepted } from '../../server/completion/session/prefetch';
import { markedDocument } from '../support/cursor';

function documentOf(text: string, fileName = 'sample.ts'): DocumentSnapshot {
  return documentSnapshot({
    uri: `file:///${fileName}`,
    fileName,
    languageId: 'typescript',
    version: 1,
    text,
  });
}

/** ⟦ ⟧ are around the suggestion. */
function accept(marked: string, fileName?: string): Accepted {
  const { text, offset, inserted } = markedDocument(marked);
  const document = documentOf(text, fileName);
  return acceptedDocument(document, completionContext(document, offset), { text: inserted, behind: 0 });
}

function prefetching() {
  const waits: number[] = [];
  const prefetch = new Prefetch({
    settle: (milliseconds) => Promise.resolve(void waits.push(milliseconds)),
    isIdle: () => true,
    pluggedIn: () => Promise.resolve(true),
    log: () => undefined,
  });
  const asked: AbortSignal[] = [];
  const ask = (signal: AbortSignal): Promise<void> => Promise.resolve(void asked.push(signal));
  return { prefetch, waits, asked, ask };
}

describe('Prefetch', () => {
  it('never begins for what must stay out of prompts, also when a suggestion makes it so', async () => {
    const { prefetch, waits, asked, ask } = prefetching();
    for (const accepted of [accept('KEY=⟦1⟧\n', '.env'), accept('⟦-----BEGIN PRIVATE KEY-----⟧\n')])
      prefetch.start(accepted, 'always', ask);
    await turn();
    assert.deepEqual([waits, asked], [[], []]);
  });
});

describe('an accepted document', () => {
  it('lacks what the suggestion replaces behind the cursor', () => {
    const before = documentOf('f()\nb();\n');
    const at = completionContext(before, 2);
    const { document, context } = acceptedDocument(before, at, { text: '{\n  a,\n});', behind: 1 });
    assert.equal(document.text, 'f({\n  a,\n});\nb();\n');
    assert.equal(context.suffix, '\nb();\n');
  });
});
