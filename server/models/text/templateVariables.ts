// The variables that a client sets for a chat template: those that the template uses, and a refusal of the others.
import { InputError } from '../../rules/inputError';
import type { TemplateVariables } from './conversation';

/** Values that describe every model without such a variable. */
const WITHOUT_EFFECT: TemplateVariables = {
  enable_thinking: false,
  thinking: false,
  reasoning_effort: 'none',
};
/** The parts of the conversation itself. */
const RESERVED = ['messages', 'tools'];

/** A variable with an effect that a template does not have. */
export class UnusedVariable extends InputError {
  constructor(readonly variable: string) {
    super({
      expected: "variables that this model's chat template uses",
      got: variable,
      remedy: 'leave it out',
    });
  }
}

/** Returns the variables of `given` that a template with these names uses. Throws UnusedVariable. */
export function usedVariables(given: TemplateVariables, names: ReadonlySet<string>): TemplateVariables {
  const { reasoning_effort: effort, ...others } = given;
  // A template without efforts can still have a switch for thinking.
  const thinking = ['reasoning_effort', 'enable_thinking', 'thinking'].find((name) => names.has(name));
  const isEffort = thinking === undefined || thinking === 'reasoning_effort';
  const all = {
    ...(effort !== undefined && { [thinking ?? 'reasoning_effort']: isEffort ? effort : effort !== 'none' }),
    ...others,
  };
  const used = Object.entries(all).filter(([name, value]) => {
    if (names.has(name) && !RESERVED.includes(name)) return true;
    if (WITHOUT_EFFECT[name] === value) return false;
    throw new UnusedVariable(name);
  });
  return Object.fromEntries(used);
}
