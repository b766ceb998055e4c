// Tests error responses: they omit the folders of this machine and the messages of internal errors.
import assert from 'node:assert/strict';
import { ModelFault, WrongValue } from '../../server/rules/userError';
import { errorBody, HttpError, httpError, wrongField } from '../../server/http/httpError';

const shown = (message: string): string => errorBody(new HttpError(503, message)).error.message;

describe('an HTTP error', () => {
  it('names files without their folders', () => {
    for (const [folder, name] of [
      ['/home/person/models/qwen/', 'config.json'],
      ['/Users/person/.cache/huggingface/hub/models--a--b/snapshots/0123/', 'tokenizer.json'],
      ['/models/', 'qwen'],
    ] as const) {
      const message = `Expected JSON in ${folder}${name}: field, got "${folder}x"; check (${folder}y)`;
      assert.equal(shown(message), `Expected JSON in ${name}: field, got "x"; check (y)`);
    }
    const error = new WrongValue({ expected: 'JSON in /a/b/config.json', got: 'none', remedy: 'look' });
    assert.equal(errorBody(httpError(error)).error.message, 'Expected JSON in config.json, got none; look');
  });

  it('omits the message of an internal error, which could quote a prompt', () => {
    const secret = 'const password = "hunter2"';
    for (const thrown of [new TypeError(secret), secret, new Error('x', { cause: secret }), { secret }]) {
      const answer = httpError(thrown);
      assert.deepEqual([answer.status, errorBody(answer).error.code], [500, 'internal_error']);
      assert.ok(!JSON.stringify(errorBody(answer)).includes('hunter2'));
    }
  });

  it('reports a broken model as a server error', () => {
    const fault = new ModelFault('The weights give NaN. Download them again.');
    assert.deepEqual(
      [httpError(fault).status, errorBody(httpError(fault)).error.code],
      [503, 'broken_model'],
    );
  });

  it('asks for a field that is absent', () => {
    assert.match(wrongField('prompt', 'a string', 7).message, /got 7; correct it or leave it out$/);
    assert.match(wrongField('prompt', 'a string', undefined).message, /got nothing; add it$/);
  });

  it('has the type that OpenAI’s API has for its status', () => {
    for (const [status, type] of [
      [400, 'invalid_request_error'],
      [401, 'authentication_error'],
      [403, 'permission_error'],
      [404, 'invalid_request_error'],
      [408, 'timeout_error'],
      [429, 'rate_limit_error'],
      [500, 'server_error'],
      [501, 'not_supported_error'],
      [503, 'unavailable_error'],
      [504, 'timeout_error'],
    ] as const)
      assert.equal(errorBody(new HttpError(status, 'x')).error.type, type);
  });

  it('has its status as the code, and no field, if the thrown error names neither', () => {
    const { error } = errorBody(httpError(new WrongValue({ expected: 'a', got: 'b', remedy: 'c' })));
    assert.deepEqual([error.code, error.param], [400, null]);
  });

  it('describes a wrong value without the text in it', () => {
    for (const [got, described] of [
      [5, '5'],
      [false, 'false'],
      [null, 'null'],
      ['', 'an empty string'],
      ['hunter2', 'a string'],
      [['hunter2', 1], 'a list of 2'],
      [{ a: 'hunter2' }, 'an object'],
    ] as const)
      assert.equal(
        wrongField('field', 'a number', got).message,
        `Expected field to be a number, got ${described}; correct it or leave it out`,
      );
  });

  it('keeps addresses and API paths in its message', () => {
    for (const message of [
      'see GET /v1/chat/completions',
      'use /infill or /v1/models',
      'Could not reach http://127.0.0.1:8080/v1/models/x',
      '3 / 4 and a/b/c',
    ])
      assert.equal(shown(message), message);
  });
});
