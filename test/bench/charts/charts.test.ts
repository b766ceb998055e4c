// The charts of the README: which results each one shows, in which words.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { charts } from '../../../bench/charts/charts';
import { readResults } from '../../../bench/charts/results';
import { temporaryFolder } from '../../support/temporaryFolder';
import { DECODE, PEERS, REPLAY } from './measured';
import { numberOf, ofClass, svgElements, type SvgElement } from './svgElements';

type Files = Readonly<Record<string, object>>;

const ALL: Files = { decode: DECODE, replay: REPLAY, peers: PEERS };

/** The elements of each chart by its file. */
function drawn(files: Files): Map<string, SvgElement[]> {
  const folder = join(temporaryFolder(), 'results');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(content));
  return new Map(charts(readResults(folder)).map(({ file, svg }) => [file, svgElements(svg)]));
}

function chart(file: string, files: Files = ALL): SvgElement[] {
  return drawn(files).get(file) ?? assert.fail(`no ${file}`);
}

const texts = (elements: readonly SvgElement[], kind: string): string[] =>
  ofClass(elements, kind).map(({ text }) => text);
/** With the wrapping undone. */
const footer = (elements: readonly SvgElement[]): string => texts(elements, 'footer').join(' ');

describe('charts', () => {
  it('are drawn of the results that are there', () => {
    const files = (given: Files): string[] => [...drawn(given).keys()];
    assert.deepEqual(files({}), []);
    assert.deepEqual(files({ decode: DECODE }), ['verify-cost.svg', 'speed-up.svg']);
    assert.deepEqual(files({ peers: PEERS }), ['peers.svg']);
    assert.deepEqual(files(ALL), ['verify-cost.svg', 'speed-up.svg', 'latency.svg', 'peers.svg']);
  });

  it('show the cost of a pass by its rows', () => {
    const elements = chart('verify-cost.svg');
    assert.deepEqual(texts(elements, 'label'), ['1', '2', '3']);
    assert.deepEqual(texts(elements, 'value'), ['21.2', '23.9', '125']);
    assert.deepEqual(texts(elements, 'subtitle'), ['A pass over 3 rows costs 1.64 plain steps.']);
    assert.match(footer(elements), /^5 repeats/);
  });

  it('show the speed-up beside plain decoding', () => {
    const elements = chart('speed-up.svg');
    assert.deepEqual(texts(elements, 'label'), ['0 (plain)', '3', '15', 'adaptive']);
    assert.deepEqual(texts(elements, 'value'), ['1.00', '1.23', '0.97', '1.55']);
    const tones = ofClass(elements, 'bar').map(({ attributes }) => attributes['class']);
    assert.deepEqual(tones, ['bar base', 'bar main', 'bar main', 'bar accent']);
    assert.match(texts(elements, 'subtitle').join(), /14\.0 ms per token, plain decoding 21\.7 ms/);
    assert.match(footer(elements), /^8 prompts, up to 64 tokens each, 5 repeats;/);
  });

  it('show three percentiles of each case, and name the cases without samples', () => {
    const elements = chart('latency.svg');
    assert.deepEqual(texts(elements, 'legend'), ['median', 'p95', 'p99']);
    assert.deepEqual(texts(elements, 'detail'), ['n = 171', 'n = 4', 'n = 66', 'n = 1']);
    assert.deepEqual(texts(elements, 'value'), [
      ...['1.23', '9.50', '66.4'],
      ...['778', '1526', '1526'],
      ...['148', '482', '682'],
      ...['622', '622', '622'],
    ]);
    const heights = ofClass(elements, 'bar').map((bar) => numberOf(bar, 'height'));
    assert.ok((heights[0] ?? NaN) < (heights[1] ?? NaN) && heights[4] === heights[5]);
    assert.match(
      footer(elements),
      /Without samples: after accepting; recalled\. Measured on Some CPU, 2 cores, linux-x64, Node 20\.19\.4\.$/,
    );
    assert.match(
      footer(elements),
      /^753 characters typed in 241 s at the pace of a person \(seed 7, debounce 0 ms\)\./,
    );
    assert.match(footer(elements), /302 of 807 requests/);
  });

  it('tell of a replay that was faster or ended early, and of one without a sample', () => {
    const early = { ...REPLAY, speed: 2.5, interrupted: true };
    assert.match(footer(chart('latency.svg', { replay: early })), /at 2\.5 times the pace.*; ended early\./);
    assert.doesNotMatch(footer(chart('latency.svg')), /early/);
    const nothing = Object.fromEntries(
      Object.keys(REPLAY.cases).map((name) => [name, REPLAY.cases.recalled]),
    );
    const elements = chart('latency.svg', { replay: { ...REPLAY, cases: nothing } });
    assert.deepEqual(ofClass(elements, 'bar'), []);
    assert.match(footer(elements), /Without samples: typed through; .*; recalled\. Measured on /);
  });

  it('leave the note out when all cases have samples', () => {
    const cases = { ...REPLAY.cases, afterAccept: REPLAY.cases.coldFile, recalled: REPLAY.cases.coldFile };
    const elements = chart('latency.svg', { replay: { ...REPLAY, cases } });
    assert.equal(ofClass(elements, 'detail').length, 6);
    assert.doesNotMatch(footer(elements), /Without samples/);
  });

  it('show the time per token of all programs, whatever their names', () => {
    const elements = chart('peers.svg');
    assert.deepEqual(texts(elements, 'value'), ['21.7', '9.31']);
    assert.deepEqual(texts(elements, 'label').join(' '), 'Flashline, plain a <b> & "c"');
    const tones = ofClass(elements, 'bar').map(({ attributes }) => attributes['class']);
    assert.deepEqual(tones, ['bar main', 'bar base']);
    const said = footer(elements);
    assert.match(said, /^8 prompts, up to 64 tokens each, 1 repeat;/);
    for (const each of ['b1234', '3.0.0', '20.19.4', 'Some CPU', 'linux-x64'])
      assert.ok(said.includes(each), each);
  });
});
