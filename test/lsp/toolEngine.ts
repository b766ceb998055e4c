// A fake engine with scripted answers and a chat template that supports tools.
import type { ScriptedEngine } from './scriptedEngine';
import { TemplateEngine } from './templateEngine';

/** A chat template with tools in the form of Hermes and Qwen. `mood` is an example of a variable that requests can set. */
export const TOOL_TEMPLATE =
  '{% if tools %}tools:{% for tool in tools %}{{ tool | tojson }}{% endfor %} | {% endif %}' +
  '{% for message in messages %}{{ message.role }}: {{ message.content }}' +
  '{% for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %} | {% endfor %}' +
  'assistant:{% if enable_thinking %}<think>{% endif %}{{ mood }}';

export class ToolEngine extends TemplateEngine {
  constructor(...scripted: ConstructorParameters<typeof ScriptedEngine>) {
    super(TOOL_TEMPLATE, ...scripted);
  }
}
