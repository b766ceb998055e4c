// Discrete distributions over tokens, of which only the probable ones may be listed. Pure arithmetic.

export interface Distribution {
  readonly tokens: readonly number[];
  /** One for each of `tokens`. */
  readonly probabilities: readonly number[];
  /** Probability of all tokens that are not listed; 1 less the sum of the others. */
  readonly rest: number;
  /** The same with every token listed. Called only when a draw falls on the rest. */
  readonly whole: () => Distribution;
}

/** From weights that need not add up to 1. Throws a RangeError when none is above 0. */
export function distribution(
  tokens: readonly number[],
  weights: readonly number[],
  rest?: { readonly weight: number; readonly whole: () => Distribution },
): Distribution {
  const unlisted = rest?.weight ?? 0;
  const total = weights.reduce((sum, weight) => sum + weight, unlisted);
  if (!(total > 0)) throw new RangeError(`Expected weights above 0, got a sum of ${String(total)}`);
  const listed: Distribution = {
    tokens,
    probabilities: weights.map((weight) => weight / total),
    rest: unlisted / total,
    whole: () => (rest && unlisted > 0 ? rest.whole() : listed),
  };
  return listed;
}

/** All on one token. */
export function certain(token: number): Distribution {
  return distribution([token], [1]);
}

export function probabilityOf(distribution: Distribution, token: number): number {
  const index = distribution.tokens.indexOf(token);
  if (index >= 0) return distribution.probabilities[index] ?? 0;
  return distribution.rest > 0 ? probabilityOf(distribution.whole(), token) : 0;
}

/** The token that `number`, from 0 to below 1, falls on. Only the listed probabilities and their order decide. */
export function draw(from: Distribution, number: number): number {
  let left = number;
  for (let i = 0; i < from.tokens.length; i++) {
    left -= from.probabilities[i] ?? 0;
    if (left < 0) return from.tokens[i] ?? 0;
  }
  if (from.rest > 0) return drawUnlisted(from, left / from.rest);
  // Rounding has left a sliver behind the last token.
  const last = from.probabilities.findLastIndex((probability) => probability > 0);
  return from.tokens[last] ?? 0;
}

/**
 * max(p - q, 0), normalised: what to draw from when a draft of q was refused. Every
 * token of `q` must be listed, and be listed in `p` too unless it has no probability there. Where rounding leaves
 * nothing, p itself.
 */
export function residual(p: Distribution, q: Distribution): Distribution {
  const drafted = new Map(q.tokens.map((token, i) => [token, q.probabilities[i] ?? 0]));
  const weights = p.tokens.map((token, i) =>
    Math.max(0, (p.probabilities[i] ?? 0) - (drafted.get(token) ?? 0)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, p.rest);
  if (total <= 1e-8) return p;
  return distribution(p.tokens, weights, { weight: p.rest, whole: () => residual(p.whole(), q) });
}

/** A token that is not listed; `number` falls within the rest. */
function drawUnlisted(from: Distribution, number: number): number {
  const listed = new Set(from.tokens);
  const { tokens, probabilities } = from.whole();
  const weights = tokens.map((token, i) => (listed.has(token) ? 0 : (probabilities[i] ?? 0)));
  // The rest is a difference of rounded numbers and may turn out to be nothing.
  if (weights.every((weight) => weight === 0)) return draw({ ...from, rest: 0 }, 1);
  return draw(distribution(tokens, weights), number);
}
