// Well-framed messages that are invalid or unexpected. Messages with invalid parts are made at random in
// test/nightly/fuzz/kinds/editorMessages.ts.
import { Method } from '../../server/protocol/messages';

export const STRAY_MESSAGES: readonly unknown[] = [
  null,
  5,
  true,
  'hello',
  [],
  {},
  { jsonrpc: '2.0' },
  [{ jsonrpc: '2.0', id: 1, method: Method.history }],
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
