// An engine whose answers are written down, behind a chat template that knows tools.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServedEngine } from '../../server/hosting/loadedModel';
import { usableTemplate } from '../support/chatTemplate';
import { temporaryFolder } from '../support/temporaryFolder';
import { ScriptedEngine } from './scriptedEngine';

/** After the form of Hermes and Qwen. */
export const TOOL_TEMPLATE =
  '{% if tools %}tools:{% for tool in tools %}{{ tool | tojson }}{% endfor %} | {% endif %}' +
  '{% for message in messages %}{{ message.role }}: {{ message.content }}' +
  '{% for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %} | {% endfor %}' +
  'assistant:{% if enable_thinking %}<think>{% endif %}{{ mood }}';

export class ToolEngine extends ScriptedEngine {
  readonly #template = usableTemplate(modelWithTemplate());

  readonly chatParts: NonNullable<ServedEngine['chatParts']> = (...conversation) => {
    const parts = this.#template?.(...conversation);
    return parts && [{ text: parts.map(({ text }) => text).join(''), from: 'message' }];
  };

  override readonly encodeChat: ServedEngine['encodeChat'] = (...conversation) => {
    const parts = this.chatParts(...conversation);
    return parts && this.tokenizer.encodeParts(parts);
  };
}

function modelWithTemplate(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'chat_template.jinja'), TOOL_TEMPLATE);
  return folder;
}
