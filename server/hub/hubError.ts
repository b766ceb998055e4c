// What the hub does not give, as an error that says why in a word, for who can do something about it.
// Knows no words for people; the problem brings them.
import { InputError, type InputProblem } from '../inputError';

/** refused: a token, or a right of its owner, is missing. missing: there is no such repository. */
export type HubRefusal = 'refused' | 'missing' | 'other';

export class HubError extends InputError {
  constructor(
    readonly refusal: HubRefusal,
    problem: InputProblem,
  ) {
    super(problem);
  }
}
