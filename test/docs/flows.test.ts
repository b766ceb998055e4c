// Checks the flows of the architecture page with the TypeScript compiler: each function calls the one listed after it,
// or both name the message that is sent.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { CallGraph, type Step } from './callGraph';

const PAGE = 'docs/internals/architecture.md';
const MAX_STEPS = 14;
const ITEM = /^\d+\. `((?:\w+\/)+\w+\.ts):([\w.#]+)`([^]*?)(?=^\d+\. |^$)/gm;

interface Flow {
  readonly title: string;
  readonly steps: readonly Step[];
}

describe('the flows of the architecture page', function () {
  this.timeout(60_000);
  const flows = flowsOf(readFileSync(PAGE, 'utf8'));
  let graph: CallGraph;
  before(() => {
    graph = new CallGraph(flows.flatMap(({ steps }) => steps.map(({ file }) => file)));
  });

  it('are three, of at most fourteen steps', () => {
    assert.equal(flows.length, 3);
    for (const { title, steps } of flows)
      assert.ok(steps.length > 1 && steps.length <= MAX_STEPS, `${title}: ${String(steps.length)}`);
  });

  it('list functions that each call the next one', () => {
    const problems = flows.flatMap(({ steps }) =>
      steps.slice(1).map((step, i) => graph.problem(steps[i] ?? assert.fail(), step)),
    );
    assert.deepEqual(
      problems.filter((problem) => problem !== undefined),
      [],
    );
  });

  it('are reported if a function does not call the next one', () => {
    for (const { steps } of flows)
      // No step calls the step two places after it.
      for (const [i, step] of steps.slice(2).entries()) {
        const { file, name } = steps[i] ?? assert.fail();
        assert.match(graph.problem({ file, name }, step) ?? '', /does not call/);
      }
  });

  it('are reported if they name a function that does not exist', () => {
    const [{ steps: [step = assert.fail()] } = assert.fail()] = flows;
    const missing = { file: step.file, name: `${step.name}Again` };
    assert.throws(() => graph.problem(step, missing), /No .*Again/);
  });
});

function flowsOf(page: string): Flow[] {
  const section = /^## Three flows$([^]*?)^## /m.exec(page)?.[1] ?? assert.fail(`${PAGE} has no flows`);
  return section
    .split(/^### /m)
    .slice(1)
    .map((text) => ({ title: text.split('\n')[0] ?? '', steps: [...text.matchAll(ITEM)].map(stepOf) }));
}

function stepOf([, path = '', name = '', text = '']: RegExpMatchArray): Step {
  const sent = /sends\s+`([\w.]+)`/.exec(text)?.[1];
  const file = path.startsWith('src/') ? path : `server/${path}`;
  return { file, name, ...(sent !== undefined && { sent }) };
}
