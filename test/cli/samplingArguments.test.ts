// Tests sampling options: the request that they become, and errors for invalid values. Only the test of token ids loads
// a model, since they depend on its vocabulary.
import assert from 'node:assert/strict';
import { outputArguments } from '../../server/cli/samplingArguments';
import { UserError } from '../../server/rules/userError';
import { itComplainsAbout, type BadInput } from './complaint';

const generate = (...args: readonly string[]) => ['generate', '--prompt', 'x', ...args];
const complete = (...args: readonly string[]) => ['complete', 'package.json:1:1', ...args];

const bad = (option: string, range: string, ...values: readonly string[]): BadInput[] =>
  values.map((value) => [
    `${option} ${JSON.stringify(value)}`,
    generate(`${option}=${value}`),
    `${option} to be`,
    range,
    `"${value}"`,
  ]);

const BAD: readonly BadInput[] = [
  ...bad('--temperature', 'a number from 0 to 100', '-1', '101', 'hot', '', '1e1', '1,5', 'NaN', 'Infinity'),
  ...bad('--top-k', 'a whole number from 0', '-1', '1.5', '0x10', 'all'),
  ...bad('--top-p', 'a number above 0 and up to 1', '0', '1.01', '-0.5', '0.0'),
  ...bad('--min-p', 'a number from 0 to 1', '1.01', '-0.1'),
  ...bad('--repetition-penalty', 'a number above 0 and up to 100', '0', '-1', '100.1'),
  ...bad('--presence-penalty', 'a number from -100 to 100', '-101', '101', '--1'),
  ...bad('--frequency-penalty', 'a number from -100 to 100', '-101', '101', '+1'),
  ...bad('--penalty-window', 'a whole number from 0', '-1', '2.5'),
  ...bad('--forbid', 'a whole number from 0', '-1', 'eos', '1,2'),
  ...bad('--seed', 'a whole number from 0 to 4294967295', '4294967296', '-1', '1.5', ''),
  ...bad('--confidence-threshold', 'a number from 0 to 1', '1.5', '-1', 'high', ''),
  ...bad('--logprobs', 'a whole number from 0 to 100', '101', '-1', 'yes'),
  ['--acceptance maybe', generate('--acceptance', 'maybe'), '--acceptance to be match or', '"maybe"'],
  ['both guards', generate('--repetition-guard', '--no-repetition-guard'), 'contradicts', 'Leave one out'],
  ['log-probabilities without JSON', generate('--logprobs', '2'), '--json with --logprobs'],
  ['log-probabilities of demo without JSON', ['demo', '--logprobs', '2'], '--json with --logprobs'],
  [
    'a seed with rejection and adaptive lengths',
    generate(...'--temperature 1 --seed 1 --acceptance rejection --draft-length adaptive'.split(' ')),
    '--draft-length',
    'adaptive',
    'depends on timing',
  ],
  ['alternatives without a temperature', complete('--alternatives', '2'), '--temperature above 0', 'none'],
  [
    'alternatives at temperature 0',
    complete('--alternatives', '2', '--temperature', '0'),
    'above 0 with --alternatives, got 0',
  ],
  ['no alternatives', complete('--alternatives', '0'), '--alternatives', '1 to 100', '"0"'],
  ['too many alternatives', complete('--alternatives', '101'), '--alternatives', '1 to 100', '"101"'],
  ['sampling in bench without a temperature', ['bench', '--top-p', '0.9'], '--temperature above 0', 'none'],
  ['bench at temperature 0', ['bench', '--temperature', '0', '--seed', '1'], 'above 0', 'got 0'],
  ['an id beyond the vocabulary', generate('--forbid', '5', '--forbid', '24576'), '0 to 24575', '24576'],
];

describe('sampling options', () => {
  itComplainsAbout(BAD);

  const limits = (options: object, draftLength: 'full' | 'adaptive' = 'full', guard: 'on' | 'off' = 'off') =>
    outputArguments({ json: false, 'max-tokens': '64', ...options }, { draftLength, guard }).limits;

  it('can be fractions without a zero before the point', () => {
    const options = { temperature: '.5', 'presence-penalty': '-1.25' };
    const { temperature, presencePenalty } = limits(options).sampling;
    assert.deepEqual([temperature, presencePenalty], [0.5, -1.25]);
  });

  it('turn the guard against repetition on or off only when they name it', () => {
    const guard = (options: object, byDefault: 'on' | 'off') =>
      limits(options, 'full', byDefault).repetitionGuard;
    assert.deepEqual([guard({}, 'on'), guard({}, 'off')], [true, false]);
    assert.equal(guard({ 'repetition-guard': true }, 'off'), true);
    assert.equal(guard({ 'no-repetition-guard': true }, 'on'), false);
  });

  it('fix the draft length for rejection, which a seed could not reproduce otherwise', () => {
    const drawn = { temperature: '1', acceptance: 'rejection' };
    const length = (options: object) => limits(options, 'adaptive').draftLength;
    assert.equal(length(drawn), 'full');
    assert.equal(length({ ...drawn, seed: '1' }), 'full');
    assert.equal(length({ ...drawn, seed: '1', 'draft-length': '3' }), 3);
    assert.equal(length({ ...drawn, 'draft-length': 'adaptive' }), 'adaptive');
    for (const options of [{ temperature: '1', seed: '1' }, { ...drawn, seed: '1', temperature: '0' }, {}])
      assert.equal(length(options), 'adaptive');
    assert.throws(() => length({ ...drawn, seed: '0', 'draft-length': 'adaptive' }), UserError);
  });
});
