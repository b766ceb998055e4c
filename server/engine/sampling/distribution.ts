// Discrete distributions over tokens, of which only the probable tokens need to be listed. Pure arithmetic.

export interface Distribution {
  readonly tokens: readonly number[];
  /** One entry per listed token. */
  readonly probabilities: readonly number[];
  /** Total probability of the unlisted tokens. */
  readonly rest: number;
  /** Returns the same distribution with every token listed. Called only for an unlisted token, since it is slow. */
  readonly listAll: () => Distribution;
}

/** Normalises weights, which need not add up to 1. Throws RangeError when none is above 0. */
export function distribution(
  tokens: readonly number[],
  weights: readonly number[],
  rest?: { readonly weight: number; readonly listAll: () => Distribution },
): Distribution {
  const unlisted = rest?.weight ?? 0;
  const total = weights.reduce((sum, weight) => sum + weight, unlisted);
  if (!(total > 0)) throw new RangeError(`Expected weights above 0, got a sum of ${String(total)}`);
  const listed: Distribution = {
    tokens,
    probabilities: weights.map((weight) => weight / total),
    rest: unlisted / total,
    listAll: () => (rest && unlisted > 0 ? rest.listAll() : listed),
  };
  return listed;
}

/** Puts all probability on one token. */
export function certain(token: number): Distribution {
  return distribution([token], [1]);
}

/** Returns the probability of a token, listed or not. */
export function probabilityOf(distribution: Distribution, token: number): number {
  const index = distribution.tokens.indexOf(token);
  if (index >= 0) return distribution.probabilities[index] ?? 0;
  return distribution.rest > 0 ? probabilityOf(distribution.listAll(), token) : 0;
}

/** Returns the token that `random` in [0, 1) falls on, which depends on the order in which the tokens are listed. */
export function draw(from: Distribution, random: number): number {
  let left = random;
  for (let i = 0; i < from.tokens.length; i++) {
    left -= from.probabilities[i] ?? 0;
    if (left < 0) return from.tokens[i] ?? 0;
  }
  if (from.rest > 0) return drawUnlisted(from, left / from.rest);
  // Rounding can leave a sliver after the last token.
  const last = from.probabilities.findLastIndex((probability) => probability > 0);
  return from.tokens[last] ?? 0;
}

/**
 * Returns max(p - q, 0), normalised: the distribution to draw from when a draft of q is refused. `q` must list all of
 * its tokens, and `p` must list them too, except those that it gives no probability. Returns p itself where rounding
 * leaves nothing.
 */
export function residual(p: Distribution, q: Distribution): Distribution {
  const drafted = new Map(q.tokens.map((token, i) => [token, q.probabilities[i] ?? 0]));
  const weights = p.tokens.map((token, i) =>
    Math.max(0, (p.probabilities[i] ?? 0) - (drafted.get(token) ?? 0)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, p.rest);
  if (total <= 1e-8) return p;
  return distribution(p.tokens, weights, { weight: p.rest, listAll: () => residual(p.listAll(), q) });
}

/** Draws an unlisted token by `random` in [0, 1), the position within the rest. */
function drawUnlisted(from: Distribution, random: number): number {
  const listed = new Set(from.tokens);
  const { tokens, probabilities } = from.listAll();
  const weights = tokens.map((token, i) => (listed.has(token) ? 0 : (probabilities[i] ?? 0)));
  // The rest is a difference of rounded numbers, so there can be no unlisted token at all.
  // A draw by 1 is past all listed tokens and falls on the last one.
  if (weights.every((weight) => weight === 0)) return draw({ ...from, rest: 0 }, 1);
  return draw(distribution(tokens, weights), random);
}
