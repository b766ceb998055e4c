// What the charts need of the results on disk. Knows the JSON of the commands, not how it is drawn.
import { join } from 'node:path';
import type { BenchMachine } from '../benchMachine';
import { CASES, type Case } from '../replay/cases';
import { ResultFields } from './resultFields';

export interface Results {
  readonly decode: DecodeResults | undefined;
  readonly replay: ReplayResults | undefined;
  readonly peers: PeersResults | undefined;
}

/** How much was decoded, and where. */
export interface Extent extends BenchMachine {
  readonly prompts: number;
  readonly maxTokens: number;
  readonly repeats: number;
}

export interface DecodeResults extends Extent {
  readonly plainMsPerToken: number;
  readonly adaptiveMsPerToken: number;
  readonly adaptiveSpeedup: number;
  readonly lengths: readonly { readonly draftLength: number; readonly speedup: number }[];
  /** Entry 0 is a pass over one row. */
  readonly verifyMsByWidth: readonly number[];
  /** The widest pass over the narrowest. */
  readonly widestOverPlain: number;
}

export interface CaseLatency {
  readonly name: Case;
  readonly count: number;
  /** Milliseconds; null without samples. */
  readonly percentiles: readonly (number | null)[];
}

export interface ReplayResults extends BenchMachine {
  readonly cases: readonly CaseLatency[];
  readonly requests: number;
  readonly shown: number;
  readonly typedCharacters: number;
  readonly seconds: number;
  readonly speed: number;
  readonly seed: number;
  readonly debounceMs: number;
  readonly interrupted: boolean;
}

export interface PeersResults extends Extent {
  readonly peers: readonly { readonly name: string; readonly msPerToken: number }[];
  readonly threads: number;
  readonly llamaCpp: string;
  readonly nodeLlamaCpp: string;
}

export const PERCENTILES = ['p50', 'p95', 'p99'] as const;

/** Undefined for each file that does not exist. Throws InputError for one that its command cannot have written. */
export function readResults(folder: string): Results {
  const read = <T>(name: string, command: string, parse: (fields: ResultFields) => T): T | undefined => {
    const fields = ResultFields.read(join(folder, name), command);
    return fields && parse(fields);
  };
  return {
    decode: read('decode.json', 'npm run bench', decodeResults),
    replay: read('replay.json', 'npm run bench', replayResults),
    peers: read('peers.json', 'npm run bench:peers', peersResults),
  };
}

function decodeResults(fields: ResultFields): DecodeResults {
  return {
    ...extent(fields),
    plainMsPerToken: fields.field('plainMsPerToken').number(),
    adaptiveMsPerToken: fields.field('adaptiveMsPerToken').number(),
    adaptiveSpeedup: fields.field('adaptiveSpeedup').number(),
    lengths: fields
      .field('lengths')
      .items()
      .map((length) => ({
        draftLength: length.field('draftLength').number(),
        speedup: length.field('speedup').number(),
      })),
    verifyMsByWidth: fields
      .field('verifyMsByWidth')
      .items()
      .map((ms) => ms.number()),
    widestOverPlain: fields.field('verify16OverPlain').number(),
  };
}

function replayResults(fields: ResultFields): ReplayResults {
  const cases = fields.field('cases');
  const number = (name: string): number => fields.field(name).number();
  return {
    ...machine(fields),
    cases: CASES.map((name) => ({
      name,
      count: cases.field(name).field('count').number(),
      percentiles: PERCENTILES.map((percentile) => cases.field(name).field(percentile).numberOrNull()),
    })),
    requests: number('requests'),
    shown: number('shown'),
    typedCharacters: number('typedCharacters'),
    seconds: number('seconds'),
    speed: number('speed'),
    seed: number('seed'),
    debounceMs: number('debounceMs'),
    interrupted: fields.field('interrupted').boolean(),
  };
}

function peersResults(fields: ResultFields): PeersResults {
  const string = (name: string): string => fields.field(name).string();
  return {
    ...extent(fields),
    peers: fields
      .field('peers')
      .items()
      .map((peer) => ({
        name: peer.field('name').string(),
        msPerToken: peer.field('msPerToken').number(),
      })),
    threads: fields.field('threads').number(),
    llamaCpp: string('llamaCpp'),
    nodeLlamaCpp: string('nodeLlamaCpp'),
  };
}

function extent(fields: ResultFields): Extent {
  return {
    ...machine(fields),
    prompts: fields.field('prompts').number(),
    maxTokens: fields.field('maxTokens').number(),
    repeats: fields.field('repeats').number(),
  };
}

function machine(fields: ResultFields): BenchMachine {
  return {
    cpu: fields.field('cpu').string(),
    cores: fields.field('cores').number(),
    platform: fields.field('platform').string(),
    node: fields.field('node').string(),
  };
}
