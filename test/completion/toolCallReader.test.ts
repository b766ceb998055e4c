// The calls of functions are read out of what a model writes, wherever its pieces end.
import assert from 'node:assert/strict';
import { CALL_TOKENS, toolCallReader } from '../../server/completion/instruct/toolCallReader';

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
    },
  },
  { type: 'function', function: { name: 'now' } },
  {
    type: 'function',
    function: {
      name: 'edit',
      parameters: {
        type: 'object',
        properties: {
          text: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
          line: { type: ['integer', 'null'] },
          mode: { enum: ['1', '2'] },
          all: { type: 'boolean' },
          lines: { type: 'array', items: { type: 'integer' } },
        },
      },
    },
  },
] as const;

/** A vocabulary that has the marks of all families, and one that has none. */
const MARKS = { specialTokenId: (token: string) => (CALL_TOKENS.includes(token) ? 1 : undefined) };
const NO_MARKS = { specialTokenId: () => undefined };

const OSLO = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
const NOW = '<tool_call>{"name": "now"}</tool_call>';
const CALLS = { oslo: ['weather', '{"city":"Oslo"}'], now: ['now', '{}'] } as const;

function xml(values: Readonly<Record<string, string>>): string {
  const parameters = Object.entries(values).map(
    ([name, value]) => `<parameter=${name}>\n${value}\n</parameter>\n`,
  );
  return `<tool_call>\n<function=edit>\n${parameters.join('')}</function>\n</tool_call>`;
}

/** The text outside of calls, and the calls, from pieces of so many characters. */
function read(output: string, size: number, vocabulary = MARKS, isParallel?: boolean) {
  const reader = toolCallReader(TOOLS, vocabulary, isParallel);
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
    'XML, with several types for one value': [
      xml({ text: '12', line: 'null', mode: '1', all: 'True', lines: '[1, 2]' }) +
        xml({ text: 'null', line: '4' }),
      '',
      [
        ['edit', '{"text":"12","line":null,"mode":"1","all":true,"lines":[1,2]}'],
        ['edit', '{"text":null,"line":4}'],
      ],
    ],
    'the notation of Gemma 4': [
      'So:\n<|tool_call>call:weather{city:<|"|>Oslo, {N}: "x"\n<|"|>,days:3}<tool_call|><|tool_call>call:now{}<tool_call|>',
      'So:',
      [['weather', '{"city":"Oslo, {N}: \\"x\\"\\n","days":3}'], CALLS.now],
    ],
    'that with lists, objects and texts without marks': [
      '<|tool_call>call:edit{text:None,line:null,lines:[1,-2.5],o:{<|"|>a b<|"|>:true,c:[<|"|>x<|"|>]},mode:fast one}',
      '',
      [['edit', '{"text":null,"line":null,"lines":[1,-2.5],"o":{"a b":true,"c":["x"]},"mode":"fast one"}']],
    ],
    'no call in that notation': [
      '<|tool_call>call: me<tool_call|> !',
      '<|tool_call>call: me<tool_call|> !',
      [],
    ],
    'a list behind the mark of Mistral': [
      'I look.[TOOL_CALLS] [{"name": "weather", "arguments": {"city": "Oslo"}, "id": "abcDEF123"}, {"name": "now", "arguments": {}}]',
      'I look.',
      [CALLS.oslo, CALLS.now],
    ],
    'names behind the mark of Mistral': [
      '[TOOL_CALLS]weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]now[CALL_ID]abcDEF123[ARGS]{}[TOOL_CALLS]now{}',
      '',
      [CALLS.oslo, CALLS.now, CALLS.now],
    ],
    'no JSON behind the mark of Mistral': [
      'The mark [TOOL_CALLS] begins',
      'The mark [TOOL_CALLS] begins',
      [],
    ],
    'the mark of Llama behind a text': [
      'I look.<|python_tag|>{"name": "weather", "parameters": {"city": "Oslo"}}; {"name": "now", "parameters": {}}',
      'I look.',
      [CALLS.oslo, CALLS.now],
    ],
    'JSON with a mark in a text': [
      '{"name": "weather", "parameters": {"city": "<tool_call>"}}',
      '',
      [['weather', '{"city":"<tool_call>"}']],
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

  it('have the ids that the model gives them, and others of nine letters and digits', () => {
    const idsOf = (output: string) => {
      const reader = toolCallReader(TOOLS, MARKS);
      return [reader.push(output), reader.flush(), ...reader.calls.map(({ id }) => id)].slice(2);
    };
    const given = 'abcDEF123';
    assert.deepEqual(idsOf(`[TOOL_CALLS][{"name": "now", "arguments": {}, "id": "${given}"}]`), [given]);
    assert.deepEqual(idsOf(`[TOOL_CALLS]now[CALL_ID]${given}[ARGS]{}`), [given]);
    const ids = idsOf(`${OSLO}${NOW}${NOW}`);
    assert.equal(new Set(ids).size, 3);
    for (const id of ids) assert.match(id, /^[a-zA-Z0-9]{9}$/);
  });

  it('are not looked for behind marks that are no tokens of the vocabulary', () => {
    const text = 'Mistral writes [TOOL_CALLS]now{}';
    const reader = toolCallReader(TOOLS, NO_MARKS);
    assert.deepEqual([reader.push(text), reader.flush(), reader.calls], [text, '', []]);
  });

  it('come one at a time where a client wants that', () => {
    assert.deepEqual(read(`${OSLO}${NOW}`, 7, MARKS, false), { text: '', calls: [CALLS.oslo] });
  });

  it('give text away as soon as it is certain', () => {
    const reader = toolCallReader(TOOLS, MARKS);
    assert.equal(reader.push('a <'), 'a');
    assert.equal(reader.push('b> c '), ' <b> c');
    assert.equal(reader.push('\n<tool_call>{'), '');
    assert.equal(
      toolCallReader(TOOLS, MARKS).push('{ "a": [1, 2, 3, 4, 5, 6, 7, 8]'),
      '{ "a": [1, 2, 3, 4, 5, 6, 7, 8]',
    );
  });
});
