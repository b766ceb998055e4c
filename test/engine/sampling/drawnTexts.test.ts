// Drafting changes nothing about which texts come out and how often: the counts of 20,000 drawn texts of three tokens
// against their exact probabilities by the chain that was written anew, for every way to sample and to draft.
import assert from 'node:assert/strict';
import { draw } from '../../../server/engine/sampling/distribution';
import { samplingOf, type Sampling } from '../../../server/engine/request/sampling';
import { chiSquareOf } from '../../support/chiSquare';
import { fullSize } from '../../support/fullSize';
import { logitTable } from '../../support/logitTable';
import { plainTexts } from '../../support/plainChain';
import { SAMPLINGS } from '../../support/samplings';
import {
  drawnDrafting,
  textDrawer,
  textPlaces,
  type Drafting,
  type TextPlace,
} from '../../support/textDrawer';

const DRAWS = 20_000;
const LENGTH = 3;
const SEEDS = fullSize ? [4_000_000, 5_000_000, 6_000_000] : [4_000_000];
const LEAST = 0.01;

const prompt = [2, 4, 1];
const table = logitTable(7, 5);
const { after, vocabSize } = table;
const other = logitTable(8, vocabSize);

const mean = (a: readonly number[], b: readonly number[]) => a.map((value, i) => (value + (b[i] ?? 0)) / 2);
const somewhatRight = {
  vocabSize,
  after: (history: readonly number[]) => mean(after(history), other.after(history)),
};
const wrong = { vocabSize, after: (history: readonly number[]) => after(history).map((logit) => -4 * logit) };
const elsewhere = { vocabSize, after: () => [0, 0, 0, 1, 1] };

/** Any number from 0 to `most`, by the seed of a text and the place in it, but not by its random numbers. */
function anyNumber(seed: number, position: number, most: number): number {
  return (Math.imul(seed + 7919 * position, 2654435761) >>> 8) % (most + 1);
}

/** Up to the end of the text, in every other one without the last token, which is then the target's own. */
function enough({ position }: TextPlace, seed: number): number {
  return Math.max(0, LENGTH - position - (seed % 2));
}

const none: Drafting = () => ({ tokens: [] });

/** Drafts of an oracle, which is right as often as it is told. */
function oracle(right: (seed: number, position: number) => boolean, count: number): Drafting {
  return ({ position }, seed, target) => {
    const tokens: number[] = [];
    while (tokens.length < count) {
      const row = tokens.length;
      const token = draw(target.from(row, tokens), target.rng(row).token);
      tokens.push(right(seed, position + row) ? token : (token + 1) % vocabSize);
    }
    return { tokens };
  };
}

describe('texts that the target draws, where drafts stay that equal them', () => {
  const drafters: readonly Drafting[] = [
    oracle(() => true, 3),
    oracle(() => false, 3),
    oracle((seed, position) => anyNumber(seed, position, 2) > 0, 3),
    (at, seed, target) =>
      oracle((...any) => anyNumber(...any, 1) > 0, anyNumber(seed, at.position, 4))(at, seed, target),
  ];
  for (const [name, options] of Object.entries(SAMPLINGS))
    it(`come as often as in plain sampling with ${name}, and are the same whatever is drafted`, () => {
      const sampling = samplingOf({ ...options, acceptance: 'match', seed: 0 });
      const expected = plainTexts(after, prompt, LENGTH, sampling);
      const drawer = (drafting: Drafting) =>
        textDrawer({ prompt, length: LENGTH, table, sampling, drafting });
      const plain = drawer(none);
      for (const seed of SEEDS) {
        const places = textPlaces(plain, { seed, draws: DRAWS, vocabSize });
        const p = chiSquareOf(places, expected);
        assert.ok(p > LEAST, `p = ${String(p)} for seed ${String(seed)}`);
        const draws = DRAWS / 4;
        for (const drafting of drafters)
          assert.deepEqual(textPlaces(drawer(drafting), { seed, draws, vocabSize }), places.slice(0, draws));
      }
    });
});

describe('texts of drawn drafts, where each stays by rejection sampling', () => {
  type Drafters = Readonly<Record<string, (sampling: Sampling) => Drafting>>;
  const drafters: Drafters = {
    'always right': (sampling) => drawnDrafting(table, sampling, enough),
    'nearly never right': (sampling) =>
      drawnDrafting(wrong, { ...sampling, topK: 1, topP: 1, minP: 0 }, enough),
    'right sometimes': (sampling) => drawnDrafting(somewhatRight, sampling, enough),
  };
  const special: Drafters = {
    'has fewer tokens to draw from': (sampling) =>
      drawnDrafting(somewhatRight, { ...sampling, topK: 2, topP: 1 }, enough),
    'has other tokens than the target': (sampling) =>
      drawnDrafting(
        elsewhere,
        { ...sampling, topK: 0, topP: 1, minP: 0, forbiddenTokens: [0, 1, 2] },
        enough,
      ),
    'drafts without chance': () => lookedUp,
    'draws drafts of any length': (sampling) =>
      drawnDrafting(somewhatRight, sampling, ({ position }, seed) => anyNumber(seed, position, 4)),
    'stops where it is not sure': sureDrafting,
  };

  function requirePlain(sampling: Sampling, drafting: Drafting): void {
    const expected = plainTexts(after, prompt, LENGTH, sampling);
    const drawText = textDrawer({ prompt, length: LENGTH, table, sampling, drafting });
    for (const seed of SEEDS) {
      const places = textPlaces(drawText, { seed, draws: DRAWS, vocabSize });
      const p = chiSquareOf(places, expected);
      assert.ok(p > LEAST, `p = ${String(p)} for seed ${String(seed)}`);
    }
  }

  const rejecting = (name: string): Sampling =>
    samplingOf({ ...SAMPLINGS[name], acceptance: 'rejection', seed: 0 });

  for (const [drafter, draftingOf] of Object.entries(drafters))
    for (const name of Object.keys(SAMPLINGS))
      it(`come as often as in plain sampling with ${name} from a drafter that is ${drafter}`, () => {
        requirePlain(rejecting(name), draftingOf(rejecting(name)));
      });
  for (const [drafter, draftingOf] of Object.entries(special))
    for (const name of ['temperature 0.7', 'top-p', 'everything at once'])
      it(`come as often as in plain sampling with ${name} when a drafter ${drafter}`, () => {
        requirePlain(rejecting(name), draftingOf(rejecting(name)));
      });
});

/** The most probable tokens of a drafter. */
const lookedUp: Drafting = ({ history }) => {
  const tokens: number[] = [];
  while (tokens.length < 3) {
    const logits = somewhatRight.after([...history, ...tokens]);
    tokens.push(logits.indexOf(Math.max(...logits)));
  }
  return { tokens };
};

/** As many drafts as have a distribution that is sure of something, before anything is drawn from the next one. */
function sureDrafting(sampling: Sampling): Drafting {
  const drafting = drawnDrafting(somewhatRight, sampling, () => 4);
  return (...round) => {
    const { tokens, distributions = [] } = drafting(...round);
    const unsure = distributions.findIndex(({ probabilities }) => Math.max(...probabilities) < 0.5);
    const count = unsure < 0 ? tokens.length : unsure;
    return { tokens: tokens.slice(0, count), distributions };
  };
}
