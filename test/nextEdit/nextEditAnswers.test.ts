// Tests which answers of a model sessions of next edits keep, and how typing follows them.
import assert from 'node:assert/strict';
import { setImmediate as tick } from 'node:timers/promises';
import { gate } from '../support/gate';
import { OTHER, OUTPUT, Person, ScriptedModel } from './person';
import { BEFORE, NOW, snapshot, URI } from './sumFile';

describe('a session of next edits (answers)', () => {
  it('answers a second request for the same text from memory, even at another cursor', async () => {
    const person = new Person().types(BEFORE, NOW);
    const first = await person.ask();
    person.session.closed(OTHER);
    const second = await person.ask({ cursor: { line: 2, character: 0 } });
    assert.equal(person.model?.prompts.length, 1);
    assert.deepEqual([second?.id, second?.edit], [first?.id, first?.edit]);
  });

  it('does not run the model again for the same text and line after it has found nothing', async () => {
    const person = new Person(new ScriptedModel([`\n${NOW}`])).types(BEFORE, NOW);
    for (const line of [0, 2, 0, 2])
      assert.equal(await person.ask({ cursor: { line, character: 0 } }), undefined);
    assert.equal(person.model?.prompts.length, 2);
  });

  it('runs the model once for two requests at the same time that find nothing', async () => {
    const person = new Person(new ScriptedModel([`\n${NOW}`])).types(BEFORE, NOW);
    assert.deepEqual(await Promise.all([person.ask(), person.ask()]), [undefined, undefined]);
    assert.equal(person.model?.prompts.length, 1);
  });

  it('gives the same edit to several requests at the same time', async () => {
    const person = new Person().types(BEFORE, NOW);
    const [first, ...others] = await Promise.all([
      person.ask(),
      person.ask(),
      person.ask({ trigger: 'explicit' }),
    ]);
    assert.ok(first);
    assert.deepEqual(others, [first, first]);
    assert.equal(person.model?.prompts.length, 1);
  });

  it('runs the model again for a request in another line if the earlier request finds nothing', async () => {
    const person = new Person(new ScriptedModel([`\n${NOW}`, OUTPUT])).types(BEFORE, NOW);
    const [first, second] = await Promise.all([
      person.ask(),
      person.ask({ cursor: { line: 2, character: 0 } }),
    ]);
    assert.equal(first, undefined);
    assert.ok(second);
  });

  it('keeps a suggestion while the user types it, and drops it at other text', async () => {
    const out = '\nconst a = 1;\nconst b = 2;\nconst c = 3;\n';
    const person = new Person(new ScriptedModel([out, '\nx\n'])).types('let a = 1;\n\n', 'const a = 1;\n\n');
    const cursor = { line: 1, character: 0 };
    assert.equal((await person.ask({ cursor }))?.edit.newText, 'const b = 2;\nconst c = 3;');
    for (const text of [BEFORE, NOW]) person.session.changed(snapshot(text, OTHER));
    await person.ask({ uri: OTHER });
    const typed = await person.types('const a = 1;\nconst b\n').ask({ cursor: { line: 1, character: 7 } });
    assert.equal(typed?.edit.newText, ' = 2;\nconst c = 3;');
    assert.equal(person.model?.prompts.length, 2, 'one of them for another document');
    await person.types('const a = 1;\nconst q\n').ask({ cursor: { line: 1, character: 7 } });
    assert.equal(person.model?.prompts.length, 3);
  });

  it('uses a late answer if the user has typed its beginning meanwhile', async () => {
    const model = new ScriptedModel(['\nconst a = 1;\nconst b = 2;\n']);
    const person = new Person(model).types('let a = 1;\n\n', 'const a = 1;\n\n');
    const { opened, open } = gate();
    model.gate = () => (model.read < 25 ? Promise.resolve() : opened);
    const cursor = { line: 1, character: 0 };
    const controller = new AbortController();
    const first = person.ask({ cursor, signal: controller.signal });
    while (model.read < 25) await tick();
    person.types('const a = 1;\nconst\n');
    controller.abort();
    const second = person.ask({ cursor: { line: 1, character: 5 } });
    open();
    assert.equal(await first, undefined);
    assert.equal((await second)?.edit.newText, ' b = 2;');
    assert.equal(model.prompts.length, 1);
  });

  it('uses a late answer only if its output already has the typed text, in lines that it rewrites', async () => {
    const [first, now] = ['a();\nlet n = 1;\nf();\n', 'a();\nlet total = 1;\nf();\n'];
    for (const [output, readBefore, typed, found] of [
      ['let total = 1;\nf(total);\n', 19, now.replace('f(', 'f(t'), 'otal'],
      ['let total = 1;\nf(total);\n', 19, now.replace('f(', 'f(tot'), undefined],
      ['let total = 123;\nf();\n', 16, now.replace('1', '12'), '3'],
      ['let total = 1;\nf();\n', 15, now.replace('1;', ''), undefined],
      ['let total = 1;\nf();\n', 15, now.replace('f', '\nf'), undefined],
      ['let total = 1;\nxa();\nf();\n', 20, now.replace('a', 'xa'), undefined],
    ] as const) {
      const model = new ScriptedModel([output, '']);
      const person = new Person(model).types(first, now);
      const { opened, open } = gate();
      model.gate = () => (model.read < readBefore ? Promise.resolve() : opened);
      const pending = person.ask({ cursor: { line: 1, character: 14 } });
      while (model.read < readBefore) await tick();
      const { signal } = model.limits[0] ?? assert.fail();
      person.types(typed);
      assert.equal(signal.aborted, found === undefined, typed);
      const second = person.ask({ cursor: { line: 2, character: 0 } });
      open();
      await pending;
      assert.equal((await second)?.edit.newText, found, typed);
    }
  });

  it('gives no edit to a request for an earlier text that has waited for the model', async () => {
    const model = new ScriptedModel(['\nconst a = 1;\nconst b = 2;\n']);
    const person = new Person(model).types('let a = 1;\n\n', 'const a = 1;\n\n');
    const { opened, open } = gate();
    model.gate = () => (model.read < 25 ? Promise.resolve() : opened);
    const first = person.ask({ cursor: { line: 1, character: 0 } });
    while (model.read < 25) await tick();
    person.types('const a = 1;\nconst\n');
    const second = person.ask({ cursor: { line: 1, character: 5 } });
    person.types('const a = 1;\nconst b\n');
    open();
    assert.equal(await second, undefined);
    assert.ok(await first, 'the model has gone on');
  });

  it('runs the model again for a document that was closed and reopened', async () => {
    const person = new Person().types(BEFORE, NOW);
    assert.ok(await person.ask());
    person.session.closed(URI);
    person.types(BEFORE, NOW);
    assert.ok(await person.ask());
    assert.equal(person.model?.prompts.length, 2);
  });

  it('remembers the last fifty texts in which it has found nothing', async () => {
    const person = new Person(new ScriptedModel([''])).types(BEFORE);
    const texts = Array.from({ length: 51 }, (_, i) => `${NOW}// ${String(i)}\n`);
    for (const text of texts) await person.types(text).ask();
    const ask = async (text = '') => {
      await person.types(text).ask({ trigger: 'explicit' });
      return person.model?.prompts.length;
    };
    assert.deepEqual([await ask(texts[1]), await ask(texts[0])], [51, 52]);
  });

  it('remembers the last fifty texts in which it has found an edit', async () => {
    const texts = Array.from({ length: 51 }, (_, i) => `${NOW}// ${String(i)}\n`);
    const outputs = texts.map((text) => `\n${text.replaceAll(' n', ' total')}`);
    const person = new Person(new ScriptedModel([...outputs, ''])).types(BEFORE);
    for (const text of texts) assert.ok(await person.types(text).ask());
    const ask = async (text = '') => {
      await person.types(text).ask({ trigger: 'explicit' });
      return person.model?.prompts.length;
    };
    assert.deepEqual([await ask(texts[1]), await ask(texts[0])], [51, 52]);
  });
});
