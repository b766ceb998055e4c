// The calls of functions are read out of what a model writes, wherever its pieces end.
import assert from 'node:assert/strict';
import { toolCallReader } from '../../server/http/toolCallReader';

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
    },
  },
  { type: 'function', function: { name: 'now' } },
] as const;

const OSLO = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
const NOW = '<tool_call>{"name": "now"}</tool_call>';
const CALLS = { oslo: ['weather', '{"city":"Oslo"}'], now: ['now', '{}'] } as const;

/** The text outside of calls, and the calls, from pieces of so many characters. */
function read(output: string, size: number, isParallel?: boolean) {
  const reader = toolCallReader(TOOLS, isParallel);
  let text = '';
  for (let at = 0; at < output.length; at += size) text += reader.push(output.slice(at, at + size));
  text += reader.flush();
  return { text, calls: reader.calls.map(({ function: { name, arguments: args } }) => [name, args]) };
}

describe('calls of functions', () => {
  const cases: Record<
    string,
    readonly [output: string, text: string, calls: readonly (readonly string[])[]]
  > = {
    'one, as JSON': [OSLO, '', [CALLS.oslo]],
    'one behind a text': [`I look it up.\n\n${OSLO}\n`, 'I look it up.', [CALLS.oslo]],
    several: [`${OSLO}\n${NOW}`, '', [CALLS.oslo, CALLS.now]],
    'text between two': [`${OSLO} and ${NOW}`, ' and', [CALLS.oslo, CALLS.now]],
    'one whose end mark is missing': [OSLO.replace('</tool_call>', ''), '', [CALLS.oslo]],
    'arguments as text': [OSLO.replace('{"city": "Oslo"}', '"{\\"city\\": \\"Oslo\\"}"'), '', [CALLS.oslo]],
    'XML, with types by the schema': [
      '<tool_call>\n<function=weather>\n<parameter=city>\n12\n</parameter>\n<parameter=days>\n3\n</parameter>\n' +
        '<parameter=other>\ntrue\n</parameter>\n</function>\n</tool_call>',
      '',
      [['weather', '{"city":"12","days":3,"other":true}']],
    ],
    'XML, with a text of several lines': [
      '<tool_call><function=weather><parameter=city>a <b>\n\n c</parameter></function></tool_call>',
      '',
      [['weather', '{"city":"a <b>\\n\\n c"}']],
    ],
    'JSON and nothing else': ['{"name": "weather", "parameters": {"city": "Oslo"}}', '', [CALLS.oslo]],
    'a list in JSON': [
      ' [{"name": "weather", "arguments": {"city": "Oslo"}}, {"type": "function", "function": {"name": "now"}}]',
      '',
      [CALLS.oslo, CALLS.now],
    ],
    'no JSON between the marks': ['<tool_call>what?</tool_call> !', '<tool_call>what?</tool_call> !', []],
    'marks that never end': ['So: <tool_call> is a mark', 'So: <tool_call> is a mark', []],
    'a mark that breaks off': ['a <tool', 'a <tool', []],
    'JSON that is an answer': ['{"name": "Ann", "age": 3}', '{"name": "Ann", "age": 3}', []],
    'JSON of another kind': ['[1, 2,\n 3]\n', '[1, 2,\n 3]\n', []],
    'JSON that breaks off': ['{"name": "weather", "para', '{"name": "weather", "para', []],
    'a text': [' if (a < b) {\n  return;\n}\n\n', ' if (a < b) {\n  return;\n}\n\n', []],
  };
  for (const [what, [output, text, calls]] of Object.entries(cases))
    it(`are read from ${what}`, () => {
      for (let size = 1; size <= output.length; size++)
        assert.deepEqual(read(output, size), { text, calls }, String(size));
    });

  it('come one at a time where a client wants that', () => {
    assert.deepEqual(read(`${OSLO}${NOW}`, 7, false), { text: '', calls: [CALLS.oslo] });
  });

  it('give text away as soon as it is certain', () => {
    const reader = toolCallReader(TOOLS);
    assert.equal(reader.push('a <'), 'a');
    assert.equal(reader.push('b> c '), ' <b> c');
    assert.equal(reader.push('\n<tool_call>{'), '');
    assert.equal(
      toolCallReader(TOOLS).push('{ "a": [1, 2, 3, 4, 5, 6, 7, 8]'),
      '{ "a": [1, 2, 3, 4, 5, 6, 7, 8]',
    );
  });
});
