// Tests when sessions of next edits stop their model, and for which requests they run none.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setImmediate as tick } from 'node:timers/promises';
import { gate } from '../support/gate';
import { OTHER, Person, ScriptedModel } from './person';
import { BEFORE, NOW, snapshot, URI } from './sumFile';

describe('a session of next edits (cancellation)', () => {
  it('runs no model for a document that is closed while a second request waits for the first', async () => {
    const model = new ScriptedModel();
    const person = new Person(model).types(BEFORE, NOW);
    const { opened, open } = gate();
    model.gate = () => opened;
    const pending = [person.ask(), person.ask()];
    while (model.prompts.length === 0) await tick();
    person.session.closed(URI);
    open();
    assert.deepEqual(await Promise.all(pending), [undefined, undefined]);
    assert.equal(model.prompts.length, 1);
  });

  it('needs no model for a request that is already aborted', async () => {
    const person = new Person().types(BEFORE, NOW);
    assert.equal(await person.ask({ signal: AbortSignal.abort() }), undefined);
    assert.equal(person.useCount, 0);
  });

  it('does not run a model that is lent only after the text has changed', async () => {
    const person = new Person().types(BEFORE, NOW);
    const { opened, open } = gate();
    person.lent = opened;
    const pending = person.ask();
    while (person.useCount === 0) await tick();
    person.types(`${NOW}y`);
    open();
    assert.equal(await pending, undefined);
    assert.equal(person.model?.prompts.length, 0);
  });

  it('leaves no listener on the signal of a request that has ended', async () => {
    const person = new Person().types(BEFORE, NOW);
    const { signal } = new AbortController();
    const found = await person.ask({ signal });
    await person.session.shown(found?.id ?? '', { useOpenFiles: true, signal });
    assert.equal(person.model?.prompts.length, 2);
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });

  for (const [what, stop, reason] of [
    ['other text is typed', (person: Person) => person.types(`${NOW}y`), 'superseded'],
    ['its answers are forgotten', (person: Person) => person.session.forgetAnswers(), 'superseded'],
    ['its document is closed', (person: Person) => person.session.closed(URI), 'cancelled'],
    ['next edits are turned off', (person: Person) => person.session.end(), 'cancelled'],
    ['the client aborts', (_: Person, controller: AbortController) => controller.abort(), 'cancelled'],
  ] as const)
    it(`stops the model as ${reason} when ${what}`, async () => {
      const model = new ScriptedModel();
      const person = new Person(model).types(BEFORE, NOW);
      const { opened, open } = gate();
      model.gate = () => opened;
      const controller = new AbortController();
      const pending = person.ask({ signal: controller.signal });
      while (model.prompts.length === 0) await tick();
      stop(person, controller);
      assert.equal(model.limits[0]?.signal.reason, reason);
      open();
      assert.equal(await pending, undefined);
      assert.equal(model.read, 0);
      if (what === 'the client aborts') assert.ok(await person.ask(), 'the same text has an edit later');
    });

  it('stops the model of the newest request after that of an earlier one has ended', async () => {
    const model = new ScriptedModel();
    const person = new Person(model).types(BEFORE, NOW);
    for (const text of [BEFORE, NOW]) person.session.changed(snapshot(text, OTHER));
    const gates: (() => void)[] = [];
    model.gate = () => new Promise<void>((resolve) => gates.push(resolve));
    const first = person.ask();
    while (gates.length < 1) await tick();
    const second = person.ask({ uri: OTHER });
    while (gates.length < 2) await tick();
    gates[0]?.();
    assert.equal(await first, undefined);
    person.session.changed(snapshot(`${NOW}y`, OTHER));
    assert.ok(model.limits[1]?.signal.aborted);
    gates[1]?.();
    assert.equal(await second, undefined);
  });

  it('goes on with an edit while another document is closed', async () => {
    const model = new ScriptedModel();
    const person = new Person(model).types(BEFORE, NOW);
    const { opened, open } = gate();
    model.gate = () => opened;
    person.session.changed(snapshot(BEFORE, OTHER));
    const pending = person.ask();
    while (model.prompts.length === 0) await tick();
    person.session.closed(OTHER);
    open();
    assert.ok(await pending);
  });

  it('cancels the model when a request that joined after typing is cancelled without further typing', async () => {
    const model = new ScriptedModel(['\nconst a = 1;\nconst b = 2;\n']);
    const person = new Person(model).types('let a = 1;\n\n', 'const a = 1;\n\n');
    const { opened, open } = gate();
    model.gate = () => (model.read < 25 ? Promise.resolve() : opened);
    const [first, second] = [new AbortController(), new AbortController()];
    const earlier = person.ask({ cursor: { line: 1, character: 0 }, signal: first.signal });
    while (model.read < 25) await tick();
    person.types('const a = 1;\nconst\n');
    first.abort();
    const joined = person.ask({ cursor: { line: 1, character: 5 }, signal: second.signal });
    await tick();
    second.abort();
    const readBefore = model.read;
    open();
    assert.deepEqual(await Promise.all([earlier, joined]), [undefined, undefined]);
    assert.deepEqual([model.prompts.length, model.read], [1, readBefore]);
  });

  it('goes on with an edit while another document changes', async () => {
    const model = new ScriptedModel();
    const person = new Person(model).types(BEFORE, NOW);
    const { opened, open } = gate();
    model.gate = () => opened;
    const pending = person.ask();
    while (model.prompts.length === 0) await tick();
    for (const text of [BEFORE, `${BEFORE}y`]) person.session.changed(snapshot(text, OTHER));
    open();
    assert.equal((await pending)?.edit.newText, 'total += x;\nreturn total');
  });

  it('does not let an earlier request, whose answer was cancelled, stop a later one', async () => {
    const model = new ScriptedModel();
    const person = new Person(model).types(BEFORE, NOW);
    for (const text of [BEFORE, NOW]) person.session.changed(snapshot(text, OTHER));
    let isOpen = false;
    model.gate = async () => {
      while (!isOpen) await tick();
    };
    const earlier = [person.ask(), person.ask()];
    while (model.prompts.length < 1) await tick();
    const later = person.ask({ uri: OTHER });
    while (model.prompts.length < 2) await tick();
    isOpen = true;
    assert.deepEqual(await Promise.all(earlier), [undefined, undefined]);
    assert.ok(await later);
    assert.equal(model.prompts.length, 2);
  });
});
