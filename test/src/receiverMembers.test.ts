// Suggestions after a dot, judged by the members that the editor's completion provider knows.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ReceiverMembers } from '../../src/ghostText/receiverMembers';
import { settled } from '../lsp/manualClock';
import { commands } from './support/fakeVscode';
import { sampleDocument } from './support/sampleDocument';

const { CompletionItemKind: Kind } = vscode;
const MEMBERS = [
  { label: 'find', kind: Kind.Method },
  { label: 'findOne?', kind: Kind.Property },
  { label: { label: 'size' }, kind: Kind.Field },
  { label: 'query', kind: Kind.Text },
];

describe('members of a receiver', () => {
  const { executeCommand } = commands;
  afterEach(() => {
    commands.executeCommand = executeCommand;
  });

  /** Whether `text` may be shown behind `typed`, once the provider has answered. */
  async function allows(
    typed: string,
    text: string,
    items: readonly object[] = MEMBERS,
    { isIncomplete = false, above = '' } = {},
  ) {
    let asked = 0;
    commands.executeCommand = () => {
      asked += 1;
      return Promise.resolve({ items, isIncomplete } as never);
    };
    const members = new ReceiverMembers();
    const lines = [above, typed];
    const document = Object.assign(sampleDocument({ lines }), { getText: () => lines.join('\n') });
    const position = new vscode.Position(1, typed.length);
    const item = { insertText: text } as vscode.InlineCompletionItem;
    members.requested(document, position);
    assert.ok(members.allows(document, position, item), 'nothing is known yet');
    await settled();
    members.requested(document, position);
    assert.ok(asked <= 1, 'each dot is asked about once');
    return members.allows(document, position, item);
  }

  for (const [typed, text, isAllowed] of [
    ['this.db.', 'find({ id })', true],
    ['this.db.fi', 'nd({ id })', true],
    ['db?.', 'findOne(1)', true],
    ['db.', 'size', true],
    // A part of an answer, and a new field.
    ['db.', 'fin', true],
    ['this.', 'rows = [];', true],
    ['this.db.', 'query(sql)', false],
    ['this.db.que', 'ry(sql)', false],
    ['db.', 'rows == []', false],
    ['rows[0].', 'query', false],
    // No receiver.
    ['db', '.query()', true],
    ['x = 1', '0', true],
  ] as const)
    it(`${isAllowed ? 'let' : 'do not let'} ${text} through behind ${typed}`, async () => {
      assert.equal(await allows(typed, text), isAllowed);
    });

  it('say nothing where nobody knows them all', async () => {
    assert.ok(await allows('db.', 'query()', [{ label: 'other', kind: Kind.Text }]));
    assert.ok(await allows('db.', 'query()', MEMBERS, { isIncomplete: true }));
  });

  it('say nothing of a class whose base is in a package that was not found', async () => {
    const own = [{ label: 'measure', kind: Kind.Method }];
    const inherited = [...own, { label: 'once', kind: Kind.Method }];
    for (const above of [
      'class Thermostat extends EventEmitter { measure() {',
      'class Thermostat(events.Emitter): def measure',
      'class Thermostat : Emitter { fun measure',
    ]) {
      assert.ok(await allows('this.', "emit('on')", own, { above }), above);
      assert.equal(await allows('this.', 'emt()', inherited, { above }), false, 'the base was found');
    }
    const above = 'class Emitter { on() {} } class Thermostat extends Emitter { measure() {';
    assert.equal(await allows('this.', 'emit()', own, { above }), false, 'the base is in this file');
  });
});
