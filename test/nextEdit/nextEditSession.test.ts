// Tests sessions of next edits, with a scripted model.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { EditRequest } from '../../server/nextEdit/editRun';
import { NextEditSession } from '../../server/nextEdit/nextEditSession';
import type { EditDecoder } from '../../server/nextEdit/proposal';
import type { DecodeLimits } from '../../server/completion/decoder';
import { sweepOne, sweepTwo } from '../../server/nextEdit/sweep';
import { zeta21 } from '../../server/nextEdit/zeta';
import { WordlessTokenizer } from '../completion/wordlessTokenizer';
import { gate } from '../support/gate';
import { temporaryFolder } from '../support/temporaryFolder';
import { linesOf } from '../../server/nextEdit/editLog';
import { changedLines } from '../../server/rules/lineDiff';
import { AFTER, BEFORE, CURSOR, NOW, snapshot, URI } from './sumFile';

const SPECIAL = ['<|file_sep|>', '<|endoftext|>'];
const OUTPUT = `\n${AFTER}`;
const ZETA_OUTPUT = `<|marker_1|>${AFTER}<|marker_2|>`;
const OTHER = 'file:///other.ts';
const PREDICTION = '// User accepted prediction:';

/** Gives one output per request, and the last one for all further requests. An end token follows unless `isCut`. */
class ScriptedModel implements EditDecoder {
  tokenizer = new WordlessTokenizer(SPECIAL);
  contextTokens = 8192;
  readonly prompts: string[] = [];
  readonly limits: DecodeLimits[] = [];
  readonly outcomes: string[] = [];
  /** Number of characters of the outputs that were read. */
  read = 0;
  /** Awaited before each piece. */
  gate: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly outputs: readonly string[] = [OUTPUT],
    private readonly isCut = false,
  ) {}

  async *decode(...[ids, limits]: Parameters<EditDecoder['decode']>) {
    const { signal, onEnd } = limits;
    this.limits.push(limits);
    const output = this.outputs[Math.min(this.prompts.length, this.outputs.length - 1)] ?? '';
    this.prompts.push(this.tokenizer.decode(ids));
    for (const text of output.match(/.{1,4}|\n/g) ?? []) {
      await this.gate();
      if (signal.aborted) return onEnd?.('superseded');
      this.read += text.length;
      yield { text };
    }
    onEnd?.(this.isCut ? 'length' : 'stop');
  }

  record(_: string, outcome = 'none'): void {
    this.outcomes.push(outcome);
  }
}

/** A user who types into one document, with two seconds between texts, and requests next edits. */
class Person {
  time = 0;
  readonly logs: string[] = [];
  /** Number of requests for a model. */
  useCount = 0;
  /** Delays each request for a model until it resolves. */
  lent: Promise<void> | undefined;
  readonly session: NextEditSession;

  constructor(
    readonly model: ScriptedModel | null = new ScriptedModel(),
    format = sweepOne,
    promptTokens = 1000,
  ) {
    const lentModel = model === null ? undefined : { format, decoder: model, promptTokens };
    this.session = new NextEditSession({
      use: async (_, work) => {
        this.useCount += 1;
        await this.lent;
        return await work(lentModel);
      },
      quiet: () => Promise.resolve(),
      log: (line) => void this.logs.push(line),
      now: () => this.time,
    });
  }

  types(...texts: readonly string[]): this {
    for (const text of texts) {
      this.time += 2000;
      this.session.changed(snapshot(text));
    }
    return this;
  }

  ask(overrides: Partial<EditRequest> = {}) {
    const signal = new AbortController().signal;
    return this.session.nextEdit({
      uri: URI,
      cursor: CURSOR,
      trigger: 'automatic',
      useOpenFiles: true,
      signal,
      ...overrides,
    });
  }
}

describe('NextEditSession', () => {
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
  });

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

  it('gives the same edit to two requests at the same time', async () => {
    const person = new Person().types(BEFORE, NOW);
    const [first, second] = await Promise.all([person.ask(), person.ask()]);
    assert.ok(first);
    assert.deepEqual(second, first);
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

  it('keeps a suggestion while the user types it, and drops it at other text', async () => {
    const out = '\nconst a = 1;\nconst b = 2;\nconst c = 3;\n';
    const person = new Person(new ScriptedModel([out, '\nx\n'])).types('let a = 1;\n\n', 'const a = 1;\n\n');
    const cursor = { line: 1, character: 0 };
    assert.equal((await person.ask({ cursor }))?.edit.newText, 'const b = 2;\nconst c = 3;');
    const typed = await person.types('const a = 1;\nconst b\n').ask({ cursor: { line: 1, character: 7 } });
    assert.equal(typed?.edit.newText, ' = 2;\nconst c = 3;');
    assert.equal(person.model?.prompts.length, 1);
    await person.types('const a = 1;\nconst q\n').ask({ cursor: { line: 1, character: 7 } });
    assert.equal(person.model?.prompts.length, 2);
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

  it('remembers a dismissal that arrives after a secret was typed into the document', async () => {
    const person = new Person().types(BEFORE, NOW);
    const found = await person.ask();
    person.types(`${NOW}// -----BEGIN PRIVATE KEY-----\n`);
    person.session.rejected(found?.id ?? '');
    assert.equal(await person.types(BEFORE, NOW).ask(), undefined);
  });

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

  it('quotes as much of the file as a prompt has room for', async () => {
    const head = 'x();\n'.repeat(100);
    for (const [promptTokens, isQuoted] of [
      [1000, true],
      [100, false],
    ] as const) {
      const person = new Person(new ScriptedModel(), sweepTwo, promptTokens);
      await person.types(head + BEFORE, head + NOW).ask({ cursor: { line: 100, character: 0 } });
      const count = person.model?.prompts[0]?.match(/x\(\);/g)?.length ?? 0;
      assert.equal(count > 50, isQuoted, String(count));
    }
  });

  it('limits an output to the room in the context, and drafts from the lines that it rewrites', async () => {
    const ask = async (contextTokens: number): Promise<ScriptedModel> => {
      const model = new ScriptedModel();
      model.contextTokens = contextTokens;
      await new Person(model).types(BEFORE, NOW).ask();
      return model;
    };
    const { prompts, limits, tokenizer } = await ask(8192);
    const { maxTokens, stopTokenIds, stopStrings, promptLookupIds } = limits[0] ?? assert.fail();
    assert.deepEqual([maxTokens, stopStrings], [1024, []]);
    const zeta = new Person(new ScriptedModel([ZETA_OUTPUT]), zeta21).types(BEFORE, NOW);
    await zeta.ask();
    assert.equal(zeta.model?.limits[0]?.maxTokens, 1024);
    assert.deepEqual(
      stopTokenIds,
      SPECIAL.map((token) => tokenizer.specialTokenId(token)),
    );
    assert.equal(tokenizer.decode(promptLookupIds ?? []), NOW.trimEnd());
    const isComplete = ['0', '1']
      .map((n) => `\n${NOW.replace('0', n)}`)
      .map((text) => limits[0]?.isComplete?.(text));
    assert.deepEqual(isComplete, [false, true]);
    const below = new Person().types(`// x\n${BEFORE}`, `// x\n${NOW}`);
    await below.ask({ cursor: { ...CURSOR, line: 1 } });
    const rewritten = below.model?.limits[0]?.promptLookupIds ?? [];
    assert.equal(tokenizer.decode(rewritten), NOW.trimEnd(), 'not of the lines above');
    const length = tokenizer.encodeText(prompts[0] ?? '').length;
    for (const room of [1, 10]) assert.equal((await ask(length + room)).limits[0]?.maxTokens, room);
    const full = await ask(length);
    assert.deepEqual([full.prompts, full.outcomes], [[], ['filtered']]);
  });

  for (const [what, output, isCut] of [
    ['repeats the window', `\n${NOW}`, false],
    ['is cut off', '\nlet total = 0;\nfor (co', true],
    ['takes back the last change', `\n${BEFORE}`, false],
    ['is empty', '', false],
    ['has marks of the format', `\n${AFTER.replace('return', '<|file_sep|> return')}`, false],
    ['deletes what was just typed', `\n${NOW.replace('total', 'tot')}`, false],
    ['has marks of another format', `\n${AFTER.replace('return', '<|fim_middle|> return')}`, false],
    ['ends with a token as text', `\n${AFTER}<|endoftext|>\n`, false],
    ['is blank', '\n\n\n\n', false],
    ['repeats the window twice', `\n${NOW}${NOW}`, false],
    ['ends with the fence of a chat', `\n${NOW}\`\`\`\n`, false],
    ['is noise', '\0\uFFFD<|<|\n\n\n"', false],
  ] as const)
    it(`shows nothing if the output ${what}`, async () => {
      const person = new Person(new ScriptedModel([output], isCut)).types(BEFORE, NOW);
      assert.equal(await person.ask(), undefined);
      assert.deepEqual(person.logs, []);
      assert.deepEqual(person.model?.outcomes, [what === 'repeats the window' ? 'empty' : 'filtered']);
    });

  it('shows no lines that Sweep adds or drops at the end of a window, unless the document ends there too', async () => {
    const lines = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, i) => `f${String(from + i)}();\n`).join('');
    for (const format of [sweepOne, sweepTwo])
      for (const [rest, output, shown] of [
        [lines(0, 40), lines(0, 10), undefined],
        [lines(0, 40), lines(0, 8), undefined],
        [lines(0, 40), `${lines(0, 9)}}\n`, undefined],
        [lines(0, 40), `${lines(0, 9)}\nThis adds a loop.\n`, undefined],
        [lines(0, 9), `${lines(0, 9)}last();\n`, 'last();\n'],
        [lines(0, 9), lines(0, 8), ''],
        [lines(0, 9), lines(0, 8).trimEnd(), undefined],
      ] as const) {
        const texts = ['let n = 0;\n', 'let total = 0;\n'].map((text) => `${text}g(n);\n${rest}`);
        const person = new Person(new ScriptedModel([`\nlet total = 0;\ng(n);\n${output}`]), format);
        assert.equal((await person.types(...texts).ask())?.edit.newText, shown, output);
      }
  });

  it('shows no change that repeats a line and changes another', async () => {
    const lines = ['let total = 0;', '', 'g(n);', 'h(1);', 'i(2);'];
    const output = [lines[0], ...lines].join('\n').replace('g(n)', 'g(total)');
    for (const format of [sweepOne, sweepTwo]) {
      const person = new Person(new ScriptedModel([`\n${output}\n`]), format);
      const text = `${lines.join('\n')}\n`;
      assert.equal(await person.types(text.replace('total', 'n'), text).ask(), undefined, format.name);
    }
  });

  it('reads the lines of an output with either line end', async () => {
    for (const [eol, textEol] of [
      ['\r\n', '\n'],
      ['\r\n', '\r\n'],
    ] as const) {
      const [before, now] = [BEFORE, NOW].map((text) => text.replaceAll('\n', textEol));
      const person = new Person(new ScriptedModel([OUTPUT.replaceAll('\n', eol)]));
      const found = await person.types(before ?? '', now ?? '').ask();
      assert.equal(found?.edit.newText, `total += x;${textEol}return total`);
    }
  });

  it('shows an edit of a line that has a mark of the format itself, but not in the format of Zeta', async () => {
    for (const [format, mark, isShown] of [
      [sweepOne, '<|file_sep|>', true],
      [sweepTwo, '<|cursor|>', true],
      [zeta21, '<|user_cursor|>', false],
    ] as const) {
      const [before, now, after] = ['n', 'n1', 'n2'].map(
        (name) => `${name};\nuse("${mark}", ${name[1] === '2' ? 2 : 1});\n`,
      );
      const output = format === zeta21 ? `<|marker_1|>${after ?? ''}<|marker_2|>` : (after ?? '');
      const person = new Person(new ScriptedModel([output]), format).types(before ?? '', now ?? '');
      assert.equal((await person.ask({ cursor: { line: 0, character: 2 } })) !== undefined, isShown, mark);
    }
  });

  it('shows no edit with an invisible character that the document does not have, except in emoji', async () => {
    const rest = Array.from({ length: 40 }, (_, i) => `f${String(i)}();\n`).join('');
    const hiding = ['\u202e', '\u2066', '\u200b', '\u200d', '\u{e0041}', '\u001b[8m'];
    for (const [mark, end, isShown] of [
      ...hiding.map((mark) => [mark, '', false] as const),
      ...hiding.map((mark) => [mark, `// ${mark}`, true] as const),
      ['\u2066', '// \u202e', false],
      ['👩\u200d💻❤\ufe0f', '', true],
      ['é\u00a0語', '', true],
    ] as const) {
      const output = AFTER.replace('return', `/*${mark}*/ return`) + rest;
      const model = new ScriptedModel([`\n${output}`]);
      const person = new Person(model).types(...[BEFORE, NOW].map((text) => text + rest + end));
      assert.equal((await person.ask()) !== undefined, isShown, JSON.stringify([mark, end]));
    }
  });

  it('shows nothing if the output takes back an earlier change alone', async () => {
    const first = 'let n = 0;\nfor (const x of xs) n += x;\nreturn n;\nend();\n';
    const second = first.replace('n =', 'total =');
    const third = second.replace('end', 'finish');
    for (const [output, isShown] of [
      [third.replace('total =', 'n ='), false],
      [third.replace('total =', 'count ='), true],
    ] as const) {
      const person = new Person(new ScriptedModel([`\n${output}`])).types(first, second, third);
      assert.equal((await person.ask()) !== undefined, isShown, output);
    }
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
    const rows = ['Us8cKj', 'q2PwZ4', 'mR7tX1'].map(
      (end) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9${end}`,
    );
    const model = new ScriptedModel();
    const all = `${rows.join('\n')}\n`;
    await new Person(model).types(all + BEFORE, all + NOW, `${rows[0] ?? ''}\n${NOW}`).ask();
    const parts = model.prompts[0]?.split('original/src/sum.ts\n') ?? [];
    assert.ok(parts[0]?.includes('let n = 0;'), 'the event before it is quoted');
    assert.ok(parts[1]?.startsWith(`${rows[0] ?? ''}\n${NOW}`));
  });

  it('quotes no removed lines that, with the line above them, look like a private key', async () => {
    const rows = ['Us8cKj', 'q2PwZ4', 'mR7tX1'].map(
      (end) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9${end}`,
    );
    const model = new ScriptedModel();
    const person = new Person(model).types(`${rows.join('\n')}\n${BEFORE}`, `${rows[0] ?? ''}\n${BEFORE}`);
    await person.ask();
    const [prompt = assert.fail()] = model.prompts;
    for (const row of rows.slice(1)) assert.ok(!prompt.includes(row));
  });

  it('sends a file with one of the marks of its format only to a model whose tokens are known', async () => {
    for (const [special, comment, promptCount, stopStrings] of [
      [SPECIAL, '// <|cursor|>', 1, []],
      [[], '// <|cursor|>', 0, undefined],
      [[], '// cursor', 1, SPECIAL],
    ] as const) {
      const model = new ScriptedModel([AFTER]);
      model.tokenizer = new WordlessTokenizer(special);
      await new Person(model, sweepTwo).types(BEFORE, `${NOW}${comment}\n`).ask();
      assert.equal(model.prompts.length, promptCount, comment);
      assert.deepEqual(model.limits[0]?.stopStrings, stopStrings);
    }
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
