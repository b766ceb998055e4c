// The variables that a client sets for a chat template: passes on those that the template uses, and refuses the others.
import type { TemplateVariables } from '../../protocol/conversation';
import { WrongValue } from '../../rules/userError';

/** Values that turn thinking off. They are ignored, not refused, if the template does not use the variable. */
const WITHOUT_EFFECT: TemplateVariables = {
  enable_thinking: false,
  thinking: false,
  reasoning_effort: 'none',
};
/** Variables that the conversation itself sets. */
const RESERVED = ['messages', 'tools'];

/** Error for a variable that the template does not use. */
export class UnusedVariable extends WrongValue {
  constructor(readonly variable: string) {
    super({
      expected: "variables that this model's chat template uses",
      got: variable,
      remedy: 'leave it out',
    });
  }
}

/**
 * Returns the variables of `given` that a template with these names uses. Throws UnusedVariable for the others, except
 * for values that turn thinking off.
 */
export function usedVariables(given: TemplateVariables, names: ReadonlySet<string>): TemplateVariables {
  const { reasoning_effort: effort, ...rest } = given;
  const thinkingSwitch = ['enable_thinking', 'thinking'].find((name) => names.has(name));
  const hasEfforts = names.has('reasoning_effort') || thinkingSwitch === undefined;
  // An effort also sets the switch for thinking, which is off by default, and only that in a template without efforts.
  const all = {
    ...(effort !== undefined && hasEfforts && { reasoning_effort: effort }),
    ...(effort !== undefined && thinkingSwitch && { [thinkingSwitch]: effort !== 'none' }),
    ...rest,
  };
  const used = Object.entries(all).filter(([name, value]) => {
    if (names.has(name) && !RESERVED.includes(name)) return true;
    if (WITHOUT_EFFECT[name] === value) return false;
    throw new UnusedVariable(name);
  });
  return Object.fromEntries(used);
}
