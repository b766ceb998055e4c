// Tests a session of next edits: when it runs a model, where it finds edits and with which line ends, what its prompts
// quote and mark as accepted, what it forgets, and errors of a model.
import assert from 'node:assert/strict';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sweepTwo } from '../../server/nextEdit/sweep';
import { zeta21 } from '../../server/nextEdit/zeta';
import { gate } from '../support/gate';
import { temporaryFolder } from '../support/temporaryFolder';
import { OTHER, OUTPUT, Person, ScriptedModel, ZETA_OUTPUT } from './person';
import { AFTER, BEFORE, CURSOR, NOW, snapshot, URI } from './sumFile';

const PREDICTION = '// User accepted prediction:';
/** Lines from the middle of a private key. */
const KEY_ROWS = ['Us8cKj', 'q2PwZ4', 'mR7tX1'].map(
  (end) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9${end}`,
);

describe('a session of next edits', () => {
  it('proposes the first change of an output and reads no further', async () => {
    const rest = Array.from({ length: 8 }, (_, i) => `f${String(i)}();`).join('\n');
    const model = new ScriptedModel([`\n${AFTER}${rest}\n`]);
    const person = new Person(model).types(`${BEFORE}${rest}\n`, `${NOW}${rest}\n`);
    const found = await person.ask();
    assert.deepEqual(found?.edit, {
      range: { start: { line: 1, character: 20 }, end: { line: 2, character: 8 } },
      newText: 'total += x;\nreturn total',
    });
    assert.ok(model.read < OUTPUT.length + 18, 'the output was read on after two lines that match again');
    assert.deepEqual(model.outcomes, ['shown']);
  });

  it('runs no model before the first edit, for an automatic request after undo, or for a secret', async () => {
    const person = new Person().types(BEFORE);
    assert.equal(await person.ask(), undefined);
    assert.equal(await person.ask({ trigger: 'explicit' }), undefined);
    person.types(NOW, `${NOW}x`, NOW);
    assert.equal(await person.ask(), undefined);
    assert.equal(person.model?.prompts.length, 0);
    assert.ok(await person.ask({ trigger: 'explicit' }));
    assert.equal(
      await person.types(`${NOW}// -----BEGIN PRIVATE KEY-----\n`).ask({ trigger: 'explicit' }),
      undefined,
    );
    assert.equal(person.model?.prompts.length, 1);
  });

  it('runs no model once a link to a secret has replaced the file, not even for a request that waits', async () => {
    const folder = temporaryFolder();
    const [file, secret] = [join(folder, 'sum.ts'), join(folder, '.env')];
    for (const isWaiting of [false, true]) {
      writeFileSync(file, NOW);
      writeFileSync(secret, '');
      const person = new Person();
      const uri = pathToFileURL(file).href;
      for (const text of [BEFORE, NOW]) person.session.changed(snapshot(text, uri));
      const waits = gate();
      person.lent = waits.opened;
      const asking = isWaiting ? person.ask({ uri }) : undefined;
      rmSync(file);
      symlinkSync(secret, file);
      waits.open();
      assert.equal(await (asking ?? person.ask({ uri })), undefined);
      assert.deepEqual([person.useCount, person.model?.prompts], [isWaiting ? 1 : 0, []]);
      rmSync(file);
    }
  });

  it('gives edits the line ends of the document', async () => {
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    const found = await new Person().types(crlf(BEFORE), crlf(NOW)).ask();
    assert.equal(found?.edit.newText, 'total += x;\r\nreturn total');
    for (const [first, second] of [
      ['\r\n', '\n'],
      ['\n', '\r\n'],
      ['\r', '\r'],
    ] as const) {
      const mixed = (text: string): string => text.replaceAll('\n', second).replace(second, first);
      const { edit } = (await new Person().types(mixed(BEFORE), mixed(NOW)).ask()) ?? {};
      assert.equal(edit?.newText, `total += x;${second}return total`, 'of the changed lines');
    }
    const converted = await new Person().types(BEFORE, NOW, crlf(NOW)).ask();
    assert.equal(converted?.edit.newText, 'total += x;\r\nreturn total', 'changed without other changes');
  });

  it('finds an edit below the cursor far down in a document, but not one that inserts lines above it', async () => {
    const head = Array.from({ length: 20 }, (_, i) => `f(${String(i)});\n`).join('');
    for (const [output, line] of [
      [NOW.replace('return', 'log();\nreturn'), 22],
      [`log();\n${NOW}`, undefined],
    ] as const) {
      const person = new Person(new ScriptedModel([output])).types(head + BEFORE, head + NOW);
      const found = await person.ask({ cursor: { ...CURSOR, line: 20 } });
      assert.equal(found?.edit.range.start.line, line);
    }
  });

  it('treats a cursor below the text as one in its last line', async () => {
    const prompts = [3, 99].map(async (line) => {
      const person = new Person(new ScriptedModel(), sweepTwo).types(BEFORE, NOW);
      await person.ask({ cursor: { line, character: 0 } });
      return person.model?.prompts;
    });
    const [inside, below] = await Promise.all(prompts);
    assert.deepEqual(below, inside);
    assert.ok(inside?.[0]?.includes(`${NOW}<|cursor|>`));
  });

  it('marks an accepted edit as such in prompts, but not the same text in another document', async () => {
    const model = new ScriptedModel([ZETA_OUTPUT]);
    const person = new Person(model, zeta21).types(BEFORE, NOW);
    assert.ok(await person.ask());
    for (const text of [NOW, AFTER]) person.session.changed(snapshot(text, OTHER, 'other.ts'));
    await person.ask({ uri: OTHER });
    await person.types(AFTER).ask();
    const [, inOther = '', afterwards = ''] = model.prompts;
    assert.ok(inOther.includes('+++ b/other.ts'));
    assert.ok(!inOther.includes(PREDICTION));
    assert.ok(afterwards.includes(`${PREDICTION}\n--- a/src/sum.ts`));
  });

  it('does not mark a change as accepted that makes only a part of the suggested edit, or other changes too', async () => {
    for (const text of [
      AFTER.replace('let', 'var'),
      NOW.replace('n += x', 'total += x'),
      NOW.replace('of', 'in'),
    ]) {
      const person = new Person(new ScriptedModel([ZETA_OUTPUT]), zeta21).types(BEFORE, NOW);
      assert.ok(await person.ask());
      await person.types(text).ask({ trigger: 'explicit', cursor: { line: 2, character: 0 } });
      for (const prompt of person.model?.prompts ?? []) assert.ok(!prompt.includes(PREDICTION), text);
    }
  });

  it('finds an edit on request after an edit of another document', async () => {
    const person = new Person().types(NOW);
    for (const text of ['other', 'changed']) person.session.changed(snapshot(text, 'file:///w/o.ts', 'o.ts'));
    assert.equal(await person.ask(), undefined);
    assert.equal(person.model?.prompts.length, 0);
    assert.ok(await person.ask({ trigger: 'explicit' }));
  });

  it('finds no edit on request in a document that is too long, after an edit of another document', async () => {
    const person = new Person().types(NOW);
    for (const text of [BEFORE, NOW, '\n'.repeat(400_001)]) person.session.changed(snapshot(text, OTHER));
    for (const text of ['other', 'changed']) person.session.changed(snapshot(text, 'file:///w/o.ts', 'o.ts'));
    assert.equal(await person.ask({ uri: OTHER, trigger: 'explicit' }), undefined);
    assert.equal(person.model?.prompts.length, 0);
  });

  it('treats a paste of the last ghost text of the same document as accepted, until the document is closed', async () => {
    const block = `\n${'  call();\n'.repeat(12)}}`;
    const crlf = block.replaceAll('\n', '\r\n');
    for (const [offers, closed, isDue] of [
      [[[URI, ['x', crlf]]], undefined, true],
      [
        [
          [URI, [block]],
          [URI, []],
        ],
        undefined,
        true,
      ],
      [
        [
          [URI, [block]],
          [URI, ['x']],
        ],
        undefined,
        false,
      ],
      [[[OTHER, [block]]], undefined, false],
      [[[URI, [block]]], OTHER, true],
      [[[URI, [block]]], URI, false],
    ] as const) {
      const person = new Person();
      for (const [uri, texts] of offers) person.session.offered(uri, texts);
      if (closed !== undefined) person.session.closed(closed);
      await person.types('f() {', `f() {${block}`).ask();
      assert.equal(person.model?.prompts.length, isDue ? 1 : 0, JSON.stringify([offers, closed]));
    }
  });

  it('forgets ghost text, also of a document that has not changed, when next edits are turned off', async () => {
    const person = new Person();
    const block = 'x'.repeat(300);
    person.session.offered(URI, [block]);
    person.session.end();
    await person.types('f() {', `f() {${block}`).ask();
    assert.equal(person.model?.prompts.length, 0);
  });

  it('forgets answers and dismissals when next edits are turned off', async () => {
    const person = new Person().types(BEFORE, NOW);
    person.session.rejected((await person.ask())?.id ?? '');
    person.session.end();
    assert.ok(await person.types(BEFORE, NOW).ask());
    assert.equal(person.model?.prompts.length, 2);
  });

  it('shows nothing without a model, and logs errors of a model', async () => {
    const without = new Person(null).types(BEFORE, NOW);
    assert.equal(await without.ask(), undefined);
    assert.deepEqual(without.logs, []);
    const model = new ScriptedModel();
    model.gate = () => Promise.reject(new Error('broken'));
    const person = new Person(model).types(BEFORE, NOW);
    assert.equal(await person.ask(), undefined);
    assert.match(person.logs.join(), /next edit.*broken/);
  });

  it('shows nothing at a line that is too long, and logs no error', async () => {
    const person = new Person().types(BEFORE, `${'x'.repeat(1001)}\n`);
    assert.equal(await person.ask({ trigger: 'explicit' }), undefined);
    assert.deepEqual([person.logs, person.model?.prompts], [[], []]);
  });

  it('gives the current window as the original one if the last event cannot be quoted', async () => {
    const model = new ScriptedModel();
    const all = `${KEY_ROWS.join('\n')}\n`;
    await new Person(model).types(all + BEFORE, all + NOW, `${KEY_ROWS[0] ?? ''}\n${NOW}`).ask();
    const parts = model.prompts[0]?.split('original/src/sum.ts\n') ?? [];
    assert.ok(parts[0]?.includes('let n = 0;'), 'the event before it is quoted');
    assert.ok(parts[1]?.startsWith(`${KEY_ROWS[0] ?? ''}\n${NOW}`));
  });

  it('quotes no removed lines that, with the line above them, look like a private key', async () => {
    const model = new ScriptedModel();
    const person = new Person(model).types(
      `${KEY_ROWS.join('\n')}\n${BEFORE}`,
      `${KEY_ROWS[0] ?? ''}\n${BEFORE}`,
    );
    await person.ask();
    const [prompt = assert.fail()] = model.prompts;
    for (const row of KEY_ROWS.slice(1)) assert.ok(!prompt.includes(row));
  });

  it('quotes events of other files only with useOpenFiles', async () => {
    for (const useOpenFiles of [true, false]) {
      const person = new Person();
      for (const text of ['other', 'changed'])
        person.session.changed(snapshot(text, 'file:///w/o.ts', 'o.ts'));
      await person.types(BEFORE, NOW).ask({ useOpenFiles });
      assert.equal(person.model?.prompts[0]?.includes('changed'), useOpenFiles);
      person.session.closed('file:///w/o.ts');
    }
  });
});
