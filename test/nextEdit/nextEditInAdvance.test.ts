// Tests the edit that sessions of next edits compute while another one is visible.
import assert from 'node:assert/strict';
import { linesOf } from '../../server/nextEdit/editLog';
import { sweepOne, sweepTwo } from '../../server/nextEdit/sweep';
import { zeta21 } from '../../server/nextEdit/zeta';
import { changedLines } from '../../server/rules/lineDiff';
import { OTHER, OUTPUT, Person, ScriptedModel } from './person';
import { AFTER, BEFORE, NOW, snapshot } from './sumFile';

describe('a session of next edits (in advance)', () => {
  for (const [what, output] of [
    ['replaces lines', AFTER],
    ['inserts lines', NOW.replace('return', 'check();\nlog();\nreturn')],
    ['removes a line', NOW.replace(/for.*\n/, '')],
  ] as const)
    for (const format of [sweepOne, sweepTwo, zeta21])
      it(`gives the same prompt of ${format.name} after a visible edit that ${what} as after its acceptance`, async () => {
        const first =
          format === zeta21
            ? `<|marker_1|>${output}<|marker_2|>`
            : format === sweepOne
              ? `\n${output}`
              : output;
        const [visible, accepted] = [0, 1].map(() =>
          new Person(new ScriptedModel([first]), format).types(BEFORE, NOW),
        );
        assert.ok(visible && accepted);
        const { signal } = new AbortController();
        const [found] = await Promise.all([visible, accepted].map((person) => person.ask()));
        await visible.session.shown(found?.id ?? '', { useOpenFiles: true, signal });
        const change = changedLines(linesOf(NOW), linesOf(output)) ?? assert.fail();
        const line = change.at + change.added.length - 1;
        await accepted.types(output).ask({ cursor: { line, character: linesOf(output)[line]?.length ?? 0 } });
        assert.equal(accepted.model?.prompts.length, 2);
        assert.equal(visible.model?.prompts[1], accepted.model.prompts[1]);
      });

  it('computes no edit in advance after an unknown edit, after a change, or during another request', async () => {
    const inAdvance = { useOpenFiles: true, signal: new AbortController().signal };
    const person = new Person().types(BEFORE, NOW);
    const id = (await person.ask())?.id ?? assert.fail();
    await person.session.shown('unknown', inAdvance);
    person.types(`${NOW}x`);
    await person.session.shown(id, inAdvance);
    assert.equal(person.model?.prompts.length, 1);
    const busy = new Person().types(BEFORE, NOW);
    const first = (await busy.ask())?.id ?? assert.fail();
    for (const text of [BEFORE, NOW]) busy.session.changed(snapshot(text, OTHER));
    const asking = busy.ask({ uri: OTHER });
    await busy.session.shown(first, inAdvance);
    await asking;
    assert.equal(busy.model?.prompts.length, 2);
  });

  it('computes the edit after a visible edit in advance', async () => {
    const next = 'for (const x of xs) total += x;\nreturn total + 1;\n';
    const person = new Person(new ScriptedModel([OUTPUT, next])).types(BEFORE, NOW);
    const found = await person.ask();
    await person.session.shown(found?.id ?? '', { useOpenFiles: true, signal: new AbortController().signal });
    assert.equal(person.model?.prompts.length, 2);
    person.types(AFTER);
    assert.equal((await person.ask({ cursor: { line: 2, character: 12 } }))?.edit.newText, ' + 1');
    assert.equal(person.model?.prompts.length, 2);
  });
});
