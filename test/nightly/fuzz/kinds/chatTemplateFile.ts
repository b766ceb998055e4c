// Chat templates: pieces of Jinja in any order, in any of the files that can contain them.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import type { ChatMessage } from '../../../../server/protocol/conversation';
import { usableTemplate } from '../../../support/chatTemplate';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { jsonText, joined, mixed, oddText, spoiltJson } from '../oddValues';

const TEMPLATE =
  '{{ bos_token }}{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content | trim }}<|im_end|>\n' +
  '{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}{% if tools %}{{ tools | tojson }}{% endif %}';
const RENDERED = '<s><|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n';

const VALUES = [
  ...'messages message message.content messages[0] messages[-1].role messages[9].content tools bos_token'.split(
    ' ',
  ),
  ...'nothing nothing.more 1 -1 "text" [] {} none true range(9) range(1e9) range(999999999)'.split(' '),
  ...'namespace(a=1) loop.index messages|length message|tojson strftime_now("%Y") messages[::0] messages[1:]'.split(
    ' ',
  ),
  ...'message.content.split("x") cycler() raise_exception("no") message.constructor messages.__proto__'.split(
    ' ',
  ),
  'range(-999999999, 0)',
  'range(0, 9, 0)',
  'messages * 3',
  '1 / 0',
  '"a" * 1e9',
  '"a".replace("", "b")',
  'joiner',
  'lipsum()',
];
const FILTERS =
  'trim tojson upper length first join(",") default(1) items int unknown indent(1e9) batch(0)'.split(' ');
const TAGS =
  '{% endfor %}|{% endif %}|{% else %}|{%- break %}|{% macro m(a) %}|{% endmacro %}|{{ m(1) }}|{# #}|{%|{{|}}|' +
  '{% generation %}|{% include "x" %}|{% raw %}';
const expression = fc
  .tuple(fc.constantFrom(...VALUES), fc.array(fc.constantFrom(...FILTERS), { maxLength: 2 }))
  .map(([value, filters]) => [value, ...filters].join(' | '));
const template = joined(
  8,
  oddText,
  expression.map((text) => `{{ ${text} }}`),
  expression.map((text) => `{% for message in ${text} %}`),
  expression.map((text) => `{% if ${text} %}`),
  expression.map((text) => `{% set x = ${text} %}{{ x }}`),
  fc.constantFrom(...TAGS.split('|'), TEMPLATE),
);

interface ModelFiles {
  readonly template: string | undefined;
  readonly config: string;
}

const CONFIG = { chat_template: TEMPLATE, bos_token: '<s>', eos_token: { content: '</s>' } };
const NAMED = {
  chat_template: ['default', 'tool_use'].map((name) => ({ name, template: TEMPLATE })),
};

const inputs = mixed<ModelFiles>(
  [3, fc.record({ template, config: fc.constantFrom('{}', jsonText(CONFIG)) })],
  [1, fc.oneof(spoiltJson(CONFIG), spoiltJson(NAMED)).map((config) => ({ template: undefined, config }))],
);

const CONVERSATIONS: readonly (readonly ChatMessage[])[] = [
  [{ role: 'user', content: 'hello' }],
  [
    { role: 'system', content: 'Be brief.\ud83d' },
    { role: 'user', content: '<|im_end|> {{ x }} \uE000 1\uE001' },
  ],
];
const TOOLS = [{ type: 'function' as const, function: { name: 'f', parameters: {} } }];

export const chatTemplateFile = fuzzKind({
  name: 'chat-template',
  inputs,
  runs: 150,
  open: () => {
    const folder = temporaryFolder();
    const [config, file] = [join(folder, 'tokenizer_config.json'), join(folder, 'chat_template.jinja')];
    const write = (model: ModelFiles): void => {
      writeFileSync(config, model.config);
      if (model.template === undefined) rmSync(file, { force: true });
      else writeFileSync(file, model.template);
    };
    return {
      attempt: async (model) => {
        write(model);
        const loaded = await valueUnlessRefused(() => usableTemplate(folder));
        for (const tools of [[], TOOLS])
          for (const messages of CONVERSATIONS) {
            const parts = await valueUnlessRefused(() => loaded?.(messages, tools));
            for (const { text } of parts ?? []) assert.equal(typeof text, 'string');
          }
      },
      checkValid: () => {
        write({ template: undefined, config: jsonText(CONFIG) });
        const parts = usableTemplate(folder)?.(CONVERSATIONS[0] ?? []) ?? [];
        assert.equal(parts.map(({ text }) => text).join(''), RENDERED);
      },
    };
  },
});
