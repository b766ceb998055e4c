// Writes a chat model: the built-in model, which repeats what it sees, with a chat template that shows it a tool call
// if there are tools.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CALL = '<tool_call>\n{"name": "now", "arguments": {"zone": "UTC"}}\n</tool_call>\n';
const TEMPLATE =
  '{% for message in messages %}{{ message.content }}{% endfor %}' +
  `{% if tools %}{% for i in range(6) %}${CALL}{% endfor %}{% endif %}`;

/** Writes the model into a new folder in `folder`, and returns its path. */
export function chatModel(folder: string): string {
  const model = join(folder, 'tiny-chat');
  cpSync('media/model/target', model, { recursive: true });
  writeFileSync(join(model, 'chat_template.jinja'), TEMPLATE);
  return model;
}
