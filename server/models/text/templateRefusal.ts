// The error for a conversation that a chat template refuses with raise_exception; another conversation can work.
import { UserError } from '../../rules/userError';

/** Maximum characters of a template's own message to quote. */
const MAX_QUOTED = 500;

export class TemplateRefusal extends UserError {
  /** The template's own words. */
  readonly reason: string;

  constructor(message: string) {
    const reason = message.trim().slice(0, MAX_QUOTED);
    super(`The chat template of this model refuses the conversation: ${reason}`);
    this.reason = reason;
  }
}
