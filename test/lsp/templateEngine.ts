// A fake engine with scripted answers and a chat template.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServedEngine } from '../../server/hosting/model';
import { usableTemplate } from '../support/chatTemplate';
import { temporaryFolder } from '../support/temporaryFolder';
import { ScriptedEngine } from './scriptedEngine';

export class TemplateEngine extends ScriptedEngine {
  override readonly chatTemplateText: string;
  readonly #template: ReturnType<typeof usableTemplate>;

  constructor(template: string, ...rest: ConstructorParameters<typeof ScriptedEngine>) {
    super(...rest);
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'chat_template.jinja'), template);
    this.chatTemplateText = template;
    this.#template = usableTemplate(folder);
  }

  override readonly renderChat: ServedEngine['renderChat'] = (...conversation) => {
    const parts = this.#template?.(...conversation);
    return parts && [{ text: parts.map(({ text }) => text).join(''), from: 'message' }];
  };

  override readonly hasChatTemplate = true;

  override readonly encodeChat: ServedEngine['encodeChat'] = (...conversation) => {
    const parts = this.renderChat(...conversation);
    return parts && this.tokenizer.encodeParts(parts);
  };
}
