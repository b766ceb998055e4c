// Reading results from disk: what is there is read, what is wrong is named with the command that puts it right.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResults } from '../../../bench/charts/results';
import { InputError } from '../../../server/inputError';
import { temporaryFolder } from '../../support/temporaryFolder';
import { DECODE, PEERS, REPLAY } from './measured';

const NONE = { decode: undefined, replay: undefined, peers: undefined };

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
  return folder;
}

describe('readResults', () => {
  it('reads what is there and nothing else', () => {
    assert.deepEqual(readResults(temporaryFolder()), NONE);
    assert.deepEqual(readResults(join(temporaryFolder(), 'absent')), NONE);
    const { peers, ...others } = readResults(folderWith({ 'peers.json': PEERS }));
    assert.deepEqual(others, { decode: undefined, replay: undefined });
    assert.deepEqual(peers, PEERS);
    const { decode, replay } = readResults(folderWith({ 'decode.json': DECODE, 'replay.json': REPLAY }));
    assert.deepEqual(decode?.verifyMsByWidth, DECODE.verifyMsByWidth);
    assert.deepEqual(decode?.lengths, [
      { draftLength: 3, speedup: 1.23 },
      { draftLength: 15, speedup: 0.97 },
    ]);
    assert.deepEqual(replay?.cases.slice(0, 2), [
      { name: 'typedThrough', count: 171, percentiles: [1.234, 9.5, 66.4] },
      { name: 'afterAccept', count: 0, percentiles: [null, null, null] },
    ]);
  });

  // Undefined is not written.
  const fewerCases = { ...REPLAY.cases, recalled: undefined };
  const wrong: readonly (readonly [what: string, file: string, content: unknown, ...mentions: string[]])[] = [
    ['no JSON', 'decode.json', '{"lengths": ', 'JSON', 'something else', '"npm run bench"'],
    ['an empty file', 'replay.json', '', 'JSON', 'an empty file', '"npm run bench"'],
    ['a list', 'decode.json', [DECODE], 'an object'],
    ['null', 'peers.json', null, 'an object', 'null', '"npm run bench:peers"'],
    ['a missing field', 'decode.json', { ...DECODE, repeats: undefined }, 'a number', 'repeats', 'nothing'],
    ['a text for a number', 'decode.json', { ...DECODE, adaptiveSpeedup: '2' }, 'adaptiveSpeedup', '"2"'],
    [
      'a ratio that could not be computed',
      'decode.json',
      { ...DECODE, verifyMsByWidth: [1, null] },
      'verifyMsByWidth[1]',
      'null',
    ],
    ['a negative time', 'decode.json', { ...DECODE, plainMsPerToken: -1 }, 'plainMsPerToken', '-1'],
    ['a number for a list', 'decode.json', { ...DECODE, lengths: 3 }, 'a list', 'lengths', '3'],
    [
      'a length without its field',
      'decode.json',
      { ...DECODE, lengths: [{ draftLength: 3 }] },
      'lengths[0]: speedup',
    ],
    [
      'a missing case',
      'replay.json',
      { ...REPLAY, cases: fewerCases },
      'an object',
      'cases: recalled',
      'nothing',
    ],
    ['a text for a flag', 'replay.json', { ...REPLAY, interrupted: 'no' }, 'true or false', 'interrupted'],
    [
      'a peer without a name',
      'peers.json',
      { ...PEERS, peers: [{ msPerToken: 1 }] },
      'a string',
      'peers[0]: name',
    ],
    ['an inherited name', 'decode.json', { ...DECODE, lengths: { constructor: 1 } }, 'a list', 'lengths'],
  ];
  for (const [what, file, content, ...mentions] of wrong)
    it(`complains about ${what}`, () => {
      assert.throws(
        () => readResults(folderWith({ [file]: content })),
        (error: unknown) => {
          assert.ok(error instanceof InputError);
          assert.match(error.message, /^Expected .+, got .+; run "npm run bench(:peers)?" again$/);
          for (const mention of [file, ...mentions])
            assert.ok(error.message.includes(mention), error.message);
          return true;
        },
      );
    });
});
