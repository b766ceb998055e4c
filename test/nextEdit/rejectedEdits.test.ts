// Tests that sessions of next edits do not repeat an edit that the user has dismissed.
import assert from 'node:assert/strict';
import { RejectedEdits } from '../../server/nextEdit/rejectedEdits';
import { OTHER, OUTPUT, Person, ScriptedModel } from './person';
import { AFTER, BEFORE, NOW, snapshot, URI } from './sumFile';

/** Lines of a document in which edits can be far apart. */
const LINES = Array.from({ length: 30 }, (_, i) => `line ${String(i)}`);

describe('a session of next edits (dismissals)', () => {
  it('does not repeat an edit that was dismissed after its beginning was typed', async () => {
    const out = '\nconst a = 1;\nconst b = 2;\n';
    const person = new Person(new ScriptedModel([out])).types('let a = 1;\n\n', 'const a = 1;\n\n');
    const found = await person.ask({ cursor: { line: 1, character: 0 } });
    person.types('const a = 1;\nconst b\n').session.rejected(found?.id ?? '');
    assert.equal(await person.ask({ cursor: { line: 1, character: 7 } }), undefined);
    assert.equal(person.model?.prompts.length, 1);
  });

  it('does not repeat a dismissed edit, even after its lines have moved', async () => {
    const person = new Person(new ScriptedModel([OUTPUT])).types(BEFORE, NOW);
    const found = await person.ask();
    person.session.rejected(found?.id ?? '');
    assert.equal(await person.ask(), undefined);
    person.session.rejected('unknown');
    const moved = new Person(new ScriptedModel([OUTPUT, `\n// x\n${AFTER}`])).types(BEFORE, NOW);
    moved.session.rejected((await moved.ask())?.id ?? '');
    moved.types(`// x\n${NOW}`);
    assert.equal(await moved.ask({ cursor: { line: 0, character: 4 } }), undefined);
    assert.equal(moved.model?.prompts.length, 2);
  });

  it('does not repeat a dismissed edit after a change in the line below it', async () => {
    const below = (text: string): string => `${text}// x\n`;
    const person = new Person(new ScriptedModel([OUTPUT, below(OUTPUT)])).types(BEFORE, NOW);
    person.session.rejected((await person.ask())?.id ?? '');
    person.types(below(NOW));
    assert.equal(await person.ask(), undefined);
    assert.equal(person.model?.outcomes.at(-1), 'shown', 'the model repeats the edit');
  });

  it('does not show a dismissed edit again after typing in another document', async () => {
    const person = new Person(new ScriptedModel([OUTPUT])).types(BEFORE, NOW);
    person.session.rejected((await person.ask())?.id ?? '');
    for (const text of ['x\n', '\n\n\nx\n']) person.session.changed(snapshot(text, OTHER));
    assert.equal(await person.ask(), undefined);
  });

  it('suggests a dismissed edit again after its document was closed and reopened', async () => {
    const person = new Person().types(BEFORE, NOW);
    person.session.rejected((await person.ask())?.id ?? '');
    person.session.closed(URI);
    assert.ok(await person.types(BEFORE, NOW).ask());
  });

  it('remembers a dismissal that arrives after a secret was typed into the document', async () => {
    const person = new Person().types(BEFORE, NOW);
    const found = await person.ask();
    person.types(`${NOW}// -----BEGIN PRIVATE KEY-----\n`);
    person.session.rejected(found?.id ?? '');
    assert.equal(await person.types(BEFORE, NOW).ask(), undefined);
  });
});

describe('dismissed edits', () => {
  const change = { at: 5, removed: 1, added: ['  fresh'] };
  let edits: RejectedEdits;
  beforeEach(() => {
    edits = new RejectedEdits();
    edits.add(URI, change, LINES);
  });

  it('are recognised by file, place and lines, whatever white space is at the ends of lines', () => {
    const indented = LINES.with(5, ' line 5 ');
    assert.ok(edits.has(URI, { ...change, added: ['fresh '] }, indented));
    assert.ok(!edits.has(URI, { ...change, added: ['other'] }, LINES));
    assert.ok(!edits.has(URI, change, LINES.with(5, 'other')));
    assert.ok(!edits.has(URI, { ...change, at: 6 }, LINES.with(6, 'line 5')));
    assert.ok(!edits.has('file:///other.ts', change, LINES));
  });

  it('move with changes above them, and are forgotten with a change of their lines', () => {
    for (const [moved, at] of [
      [{ at: 0, removed: 1, added: ['a', 'b', 'c'] }, 7],
      [{ at: 4, removed: 1, added: [] }, 4],
      [{ at: 5, removed: 0, added: ['new'] }, 6],
      [{ at: 6, removed: 1, added: ['x', 'y'] }, 5],
      [{ at: 5, removed: 1, added: ['x'] }, undefined],
      [{ at: 4, removed: 2, added: ['x'] }, undefined],
    ] as const) {
      const here = new RejectedEdits();
      here.add(URI, change, LINES);
      here.moved('file:///other.ts', { at: 5, removed: 1, added: [] });
      here.moved(URI, moved);
      const places = [4, 5, 6, 7].filter((place) =>
        here.has(URI, { ...change, at: place }, LINES.with(place, 'line 5')),
      );
      assert.deepEqual(places, at === undefined ? [] : [at], JSON.stringify(moved));
    }
  });

  it('that insert lines are forgotten with a change of the line below', () => {
    const insertion = { at: 5, removed: 0, added: ['fresh'] };
    for (const [at, isKept] of [
      [6, true],
      [5, false],
    ] as const) {
      edits = new RejectedEdits();
      edits.add(URI, insertion, LINES);
      edits.moved(URI, { at, removed: 1, added: ['x'] });
      assert.equal(edits.has(URI, insertion, LINES), isKept);
    }
  });

  it('are remembered up to the last twenty, and until their document is closed', () => {
    for (let i = 1; i <= 20; i += 1) edits.add(URI, { at: i, removed: 1, added: ['x'] }, LINES);
    assert.ok(!edits.has(URI, change, LINES));
    assert.ok(edits.has(URI, { at: 1, removed: 1, added: ['x'] }, LINES));
    edits.add('file:///other.ts', change, LINES);
    edits.closed(URI);
    assert.ok(!edits.has(URI, { at: 1, removed: 1, added: ['x'] }, LINES));
    assert.ok(edits.has('file:///other.ts', change, LINES));
  });
});
