// Messages as no good client sends them: valid ones, of which a part is replaced, left out or sent in the wrong way.
// The same seed gives the same messages.
import { Method } from '../../server/protocol/messages';
import { seededRandom } from '../support/seededRandom';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export interface MalformedMessage {
  readonly kind: 'request' | 'notification';
  readonly method: string;
  /** Undefined for none. */
  readonly params: Json | undefined;
}

/** In a document that begins with `const shared = ;`. */
const POSITION = { line: 0, character: 15 };
const RANGE = { start: POSITION, end: POSITION };
const BELOW = { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } };

function validMessages(uri: string): readonly MalformedMessage[] {
  const textDocument = { uri, version: 2 };
  const opened = { uri: `${uri}.other.ts`, languageId: 'typescript', version: 1, text: 'let shared = 1;\n' };
  const completion = {
    textDocument: { uri },
    position: POSITION,
    context: { triggerKind: 1, selectedCompletionInfo: { range: RANGE, text: 'shared' } },
  };
  const replaced = { range: BELOW, text: 'shared();\n' };
  return [
    { kind: 'request', method: 'textDocument/inlineCompletion', params: completion },
    { kind: 'request', method: 'textDocument/inlineCompletion', params: { ...completion, context: {} } },
    {
      kind: 'request',
      method: Method.generate,
      params: { uri, instruction: 'x', start: 15, end: 15, partialResultToken: 1 },
    },
    {
      kind: 'request',
      method: Method.generate,
      params: {
        uri,
        instruction: 'x',
        start: 15,
        end: 15,
        sampling: { temperature: 1, seed: 7, logprobs: 1 },
      },
    },
    {
      kind: 'request',
      method: Method.commitMessage,
      params: {
        changes: [{ path: 'a.ts', diff: '@@ -1 +1 @@\n-a\n+b\n' }],
        begun: 'Name',
        partialResultToken: 1,
      },
    },
    { kind: 'request', method: Method.compare, params: {} },
    { kind: 'request', method: Method.history, params: {} },
    { kind: 'notification', method: Method.settings, params: { debounceMs: 0, multiline: 'auto' } },
    { kind: 'notification', method: Method.cursor, params: { uri, position: POSITION } },
    { kind: 'notification', method: Method.forgetClosed, params: {} },
    { kind: 'notification', method: 'textDocument/didOpen', params: { textDocument: opened } },
    {
      kind: 'notification',
      method: 'textDocument/didChange',
      params: { textDocument, contentChanges: [replaced, replaced] },
    },
    { kind: 'notification', method: 'textDocument/didClose', params: { textDocument: { uri: opened.uri } } },
    { kind: 'notification', method: 'textDocument/didSave', params: { textDocument, text: 'x' } },
    { kind: 'notification', method: '$/cancelRequest', params: { id: 7 } },
    { kind: 'notification', method: '$/setTrace', params: { value: 'verbose' } },
    { kind: 'notification', method: '$/progress', params: { token: 1, value: {} } },
    { kind: 'notification', method: 'initialized', params: {} },
    { kind: 'notification', method: 'shutdown', params: {} },
    { kind: 'request', method: 'exit', params: {} },
    { kind: 'request', method: 'textDocument/hover', params: { textDocument, position: POSITION } },
    { kind: 'request', method: 'flashline/nothing', params: {} },
    { kind: 'request', method: '', params: {} },
  ];
}

const WRONG: readonly Json[] = [
  ...[
    null,
    true,
    0,
    -1,
    -2_147_483_649,
    4e9,
    0.5,
    1e300,
    '',
    '0',
    'constructor',
    '\0\ud800',
    'ü'.repeat(200_000),
  ],
  ...[[], [[]], [null, null], {}, { line: -1, character: -1 }, { line: 1e9, character: 1e9 }],
  ...[{ start: POSITION }, { __proto__: null, length: 9 }, { line: '0', character: '1' }],
];

/** `count` messages about the document that is open under `uri`, among others. Every fifth one is valid. */
export function malformedMessages(seed: number, count: number, uri: string): MalformedMessage[] {
  const random = seededRandom(seed);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const valid = validMessages(uri);

  /** With one part of it wrong. */
  const spoilt = (value: Json): Json | undefined => {
    if (typeof value !== 'object' || value === null || random() < 0.2) return pick(WRONG);
    if (isList(value)) return value.map((part, i) => (i === 0 ? (spoilt(part) ?? null) : part));
    const name = pick(Object.keys(value));
    if (name === undefined) return pick(WRONG);
    const { [name]: part = null, ...others } = value;
    const changed = random() < 0.15 ? undefined : spoilt(part);
    return changed === undefined ? others : { ...others, [name]: changed };
  };

  return Array.from({ length: count }, (_, i) => {
    const message = pick(valid);
    const { kind, method, params = null } = message;
    if (i % 5 === 4) return message;
    const other = kind === 'request' ? 'notification' : 'request';
    // Both would be valid, and the end of the server.
    const swaps = random() < 0.1 && method !== 'exit' && method !== 'shutdown';
    return { kind: swaps ? other : kind, method, params: random() < 0.08 ? undefined : spoilt(params) };
  });
}

/** Whole messages that are none, or that nobody waits for. */
export const STRAY_MESSAGES: readonly Json[] = [
  ...[
    null,
    5,
    true,
    'hello',
    [],
    {},
    { jsonrpc: '2.0' },
    [{ jsonrpc: '2.0', id: 1, method: Method.history }],
  ],
  { jsonrpc: '2.0', id: 1, method: 5 },
  { jsonrpc: '2.0', id: null, method: Method.history },
  { jsonrpc: '2.0', id: { a: 1 }, method: Method.history },
  { jsonrpc: '1.0', id: 'twice', method: Method.history },
  { jsonrpc: '2.0', id: 'twice', method: Method.history },
  { jsonrpc: '2.0', id: 'twice', method: Method.history, params: 'text' },
  { jsonrpc: '2.0', id: 'stray', result: [] },
  { jsonrpc: '2.0', id: 9, error: { code: -1, message: 'unasked' } },
  { jsonrpc: '2.0', id: 0, error: 'no object' },
  { jsonrpc: '2.0', id: null, result: 1 },
  { jsonrpc: '2.0', id: 'both', result: 1, error: { code: 1, message: 'both' } },
  { jsonrpc: '2.0', method: '$/cancelRequest' },
];

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
