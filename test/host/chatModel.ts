// A chat model of a few megabytes: the built-in one, which goes on with what it is shown, behind a chat template that
// shows it calls of a tool where there is one.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CALL = '<tool_call>\n{"name": "now", "arguments": {"zone": "UTC"}}\n</tool_call>\n';
const TEMPLATE =
  '{% for message in messages %}{{ message.content }}{% endfor %}' +
  `{% if tools %}{% for i in range(6) %}${CALL}{% endfor %}{% endif %}`;

/** Its folder, below `folder`. */
export function chatModel(folder: string): string {
  const model = join(folder, 'tiny-chat');
  cpSync('media/model/target', model, { recursive: true });
  writeFileSync(join(model, 'chat_template.jinja'), TEMPLATE);
  return model;
}
