// Chat templates: pieces of Jinja in any order, in any of the files that may have them.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import type { ChatMessage } from '../../../../server/models/text/chatTemplate';
import { usableTemplate } from '../../../support/chatTemplate';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { jsonText, oddText, spoiltJson } from '../oddValues';

const TEMPLATE =
  '{{ bos_token }}{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content | trim }}<|im_end|>\n' +
  '{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}{% if tools %}{{ tools | tojson }}{% endif %}';
const RENDERED = '<s><|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n';

const VALUES = [
  ...[
    'messages',
    'message',
    'message.content',
    'messages[0]',
    'messages[-1].role',
    'messages[9].content',
    'tools',
  ],
  ...[
    'bos_token',
    'nothing',
    'nothing.more',
    '1',
    '-1',
    '"text"',
    '[]',
    '{}',
    'none',
    'true',
    'range(9)',
    'range(1e9)',
  ],
  ...[
    'range(999999999)',
    'range(-999999999, 0)',
    'range(0, 9, 0)',
    'namespace(a=1)',
    'loop.index',
    'messages|length',
    'message|tojson',
    'strftime_now("%Y")',
  ],
  ...[
    'messages * 3',
    '1 / 0',
    '"a" * 1e9',
    'messages[::0]',
    'messages[1:]',
    'message.content.split("x")',
    'cycler()',
  ],
  ...[
    'raise_exception("no")',
    'message.constructor',
    'messages.__proto__',
    '"a".replace("", "b")',
    'joiner',
    'lipsum()',
  ],
];
const FILTERS = [
  'trim',
  'tojson',
  'upper',
  'length',
  'first',
  'join(",")',
  'default(1)',
  'items',
  'int',
  'unknown',
  'indent(1e9)',
  'batch(0)',
];
const value = fc.record({
  value: fc.constantFrom(...VALUES),
  filters: fc.array(fc.constantFrom(...FILTERS), { maxLength: 2 }),
});
const expression = value.map(({ value: text, filters }) => [text, ...filters].join(' | '));
const piece = fc.oneof(
  oddText,
  expression.map((text) => `{{ ${text} }}`),
  expression.map((text) => `{% for message in ${text} %}`),
  expression.map((text) => `{% if ${text} %}`),
  expression.map((text) => `{% set x = ${text} %}{{ x }}`),
  fc.constantFrom(
    '{% endfor %}',
    '{% endif %}',
    '{% else %}',
    '{%- break %}',
    '{% macro m(a) %}',
    '{% endmacro %}',
    '{{ m(1) }}',
  ),
  fc.constantFrom('{# #}', '{%', '{{', '}}', '{% generation %}', '{% include "x" %}', '{% raw %}', TEMPLATE),
);

interface Model {
  readonly template: string | undefined;
  readonly config: string;
}

const CONFIG = { chat_template: TEMPLATE, bos_token: '<s>', eos_token: { content: '</s>' } };
const NAMED = {
  chat_template: [
    { name: 'default', template: TEMPLATE },
    { name: 'tool_use', template: 'x' },
  ],
};

const inputs: fc.Arbitrary<Model> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      template: fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
      config: fc.constantFrom('{}', jsonText(CONFIG)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .oneof(spoiltJson(CONFIG), spoiltJson(NAMED))
      .map((config) => ({ template: undefined, config })),
  },
);

const CONVERSATIONS: readonly (readonly ChatMessage[])[] = [
  [{ role: 'user', content: 'hello' }],
  [
    { role: 'system', content: 'Be brief.\ud83d' },
    { role: 'user', content: '<|im_end|> {{ x }} \uE000 1\uE001' },
  ],
];
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: {} } }];

export const chatTemplateFile = fuzzKind({
  name: 'chat-template',
  inputs,
  counts: { test: 300, million: 20_000 },
  open: () => {
    const folder = temporaryFolder();
    const [config, file] = [join(folder, 'tokenizer_config.json'), join(folder, 'chat_template.jinja')];
    const write = (model: Model): void => {
      writeFileSync(config, model.config);
      if (model.template === undefined) rmSync(file, { force: true });
      else writeFileSync(file, model.template);
    };
    return {
      attempt: async (model) => {
        write(model);
        const template = await valueUnlessRefused(() => usableTemplate(folder));
        for (const tools of [[], TOOLS])
          for (const messages of CONVERSATIONS) {
            const parts = await valueUnlessRefused(() => template?.(messages, tools));
            for (const { text } of parts ?? []) assert.equal(typeof text, 'string');
          }
      },
      sound: () => {
        write({ template: undefined, config: jsonText(CONFIG) });
        const parts = usableTemplate(folder)?.(CONVERSATIONS[0] ?? []) ?? [];
        assert.equal(parts.map(({ text }) => text).join(''), RENDERED);
      },
    };
  },
});
