// A document as it will be once what is shown is accepted, and the one run that looks for what comes after that.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { completionContext, type DocumentSnapshot } from '../../server/completion/prompt/context';
import { documentSnapshot } from '../../server/completion/prompt/eligibility';
import { acceptedDocument, leadsTo, Prefetch, type Accepted } from '../../server/completion/session/prefetch';
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

interface Machine {
  readonly isIdle?: boolean;
  readonly pluggedIn?: boolean;
}

function prefetching({ isIdle = true, pluggedIn = true }: Machine = {}) {
  const waits: number[] = [];
  const failures: string[] = [];
  const prefetch = new Prefetch({
    settle: (milliseconds) => Promise.resolve(void waits.push(milliseconds)),
    isIdle: () => isIdle,
    pluggedIn: () => Promise.resolve(pluggedIn),
    log: (line) => void failures.push(line),
  });
  const asked: AbortSignal[] = [];
  const ask = (signal: AbortSignal): Promise<void> => Promise.resolve(void asked.push(signal));
  return { prefetch, waits, failures, asked, ask };
}

describe('Prefetch', () => {
  it('asks nothing once it is stopped, while the model is busy, or on a battery', async () => {
    const stopped = prefetching();
    stopped.prefetch.start(accept('f(⟦a);⟧\n'), 'always', stopped.ask);
    stopped.prefetch.stop();
    const busy = prefetching({ isIdle: false });
    busy.prefetch.start(accept('f(⟦a);⟧\n'), 'always', busy.ask);
    const onBattery = prefetching({ pluggedIn: false });
    onBattery.prefetch.start(accept('f(⟦a);⟧\n'), 'pluggedIn', onBattery.ask);
    await turn();
    for (const { asked } of [stopped, busy, onBattery]) assert.deepEqual(asked, []);
  });

  it('never begins for what must stay out of prompts, also when a suggestion makes it so', async () => {
    const { prefetch, waits, asked, ask } = prefetching();
    for (const accepted of [accept('KEY=⟦1⟧\n', '.env'), accept('⟦-----BEGIN PRIVATE KEY-----⟧\n')])
      prefetch.start(accepted, 'always', ask);
    await turn();
    assert.deepEqual([waits, asked], [[], []]);
  });

  it('goes on for the same place, and ends for another one', async () => {
    const { prefetch, asked, ask } = prefetching();
    for (const marked of ['f(⟦a);⟧\n', 'f(⟦a);⟧\n', 'f(⟦b);⟧\n']) {
      prefetch.start(accept(marked), 'always', ask);
      await turn();
    }
    assert.deepEqual(
      asked.map(({ aborted }) => aborted),
      [true, false],
    );
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

  const accepted = accept('f(⟦a, b⟧);\n');
  const texts: readonly (readonly [text: string, leads: boolean])[] = [
    ['f();\n', true],
    ['f(a);\n', true],
    ['f(a, );\n', true],
    ['f(a, b);\n', true],
    ['f(x);\n', false],
    ['f(a, b));\n', false],
    ['f(a, b, );\n', false],
    ['f);\n', false],
    ['f(\n', false],
    ['g(a, b);\n', false],
    ['', false],
  ];
  for (const [text, leads] of texts)
    it(`is ${leads ? '' : 'not '}on the way from ${JSON.stringify(text)}`, () => {
      assert.equal(leadsTo(accepted, documentOf(text)), leads);
      assert.equal(leadsTo(accepted, documentOf(text, 'other.ts')), false);
    });

  it('is waited for where its text and cursor are, and nowhere else', async () => {
    const { prefetch } = prefetching();
    let end = (): void => undefined;
    prefetch.start(accepted, 'always', () => new Promise((resolve) => (end = resolve)));
    await turn();
    const { signal } = new AbortController();
    for (const [document, offset] of [
      [documentOf('f(a, b);\n'), 5],
      [documentOf('f(a, c);\n'), 6],
      [documentOf('f(a, b);\n', 'other.ts'), 6],
    ] as const)
      await prefetch.arrived(document, offset, signal);
    let hasArrived = false;
    const arriving = prefetch.arrived(documentOf('f(a, b);\n'), 6, signal).then(() => (hasArrived = true));
    await turn();
    assert.equal(hasArrived, false);
    end();
    await arriving;
  });
});
