// Made-up results of the measurements, as their commands write them; fields that no chart needs are left out.

/** What every command writes of the machine. */
const MACHINE = { cpu: 'Some CPU', cores: 2, platform: 'linux-x64', node: '20.19.4' };

export const DECODE = {
  plainMsPerToken: 21.71,
  adaptiveMsPerToken: 14.02,
  adaptiveSpeedup: 1.55,
  lengths: [
    { draftLength: 3, msPerToken: 17.6, tokensPerRound: 2.3, speedup: 1.23 },
    { draftLength: 15, msPerToken: 22.4, tokensPerRound: 2.4, speedup: 0.97 },
  ],
  verifyMsByWidth: [21.2, 23.9, 125.4],
  verify16OverPlain: 1.642,
  prompts: 8,
  maxTokens: 64,
  repeats: 5,
  ...MACHINE,
};

const NOTHING = { count: 0, p50: null, p95: null, p99: null, reuseRate: null };

export const REPLAY = {
  cases: {
    typedThrough: { count: 171, p50: 1.234, p95: 9.5, p99: 66.4, reuseRate: null },
    afterAccept: NOTHING,
    coldFile: { count: 4, p50: 778.4, p95: 1526.2, p99: 1526.2, reuseRate: 0.03 },
    warmSingleLine: { count: 66, p50: 147.5, p95: 481.9, p99: 681.9, reuseRate: 0.96 },
    warmMultiLine: { count: 1, p50: 622.1, p95: 622.1, p99: 622.1, reuseRate: 1 },
    recalled: NOTHING,
  },
  requests: 807,
  shown: 302,
  typedCharacters: 753,
  seconds: 241.4,
  speed: 1,
  seed: 7,
  debounceMs: 0,
  interrupted: false,
  ...MACHINE,
};

export const PEERS = {
  peers: [
    { name: 'Flashline, plain', msPerToken: 21.7 },
    { name: 'a <b> & "c"', msPerToken: 9.314 },
  ],
  prompts: 8,
  maxTokens: 64,
  repeats: 1,
  threads: 2,
  llamaCpp: 'b1234',
  nodeLlamaCpp: '3.0.0',
  ...MACHINE,
};
