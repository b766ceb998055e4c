// Tests that tool calls are separated from the text of an output, wherever the pieces of the output end.
import assert from 'node:assert/strict';
import { CALL_TOKENS } from '../../../server/completion/instruct/toolCallForms';
import { toolCallReader } from '../../../server/completion/instruct/toolCallReader';

const tool = (name: string, properties?: Readonly<Record<string, object>>) =>
  ({
    type: 'function',
    function: { name, ...(properties && { parameters: { type: 'object', properties } }) },
  }) as const;
const TOOLS = [
  tool('weather', { city: { type: 'string' }, days: { type: 'integer' } }),
  tool('now'),
  tool('edit', {
    text: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
    line: { type: ['integer', 'null'] },
    mode: { enum: ['1', '2'] },
    rank: { enum: ['1', null] },
    all: { type: 'boolean' },
    size: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    note: { oneOf: [{ type: 'string' }, { type: 'null' }] },
    lines: { type: 'array', items: { type: 'integer' } },
  }),
];

/** A vocabulary with the marks of all families. */
const MARKS = { specialTokenId: (token: string) => (CALL_TOKENS.includes(token) ? 1 : undefined) };

const OSLO = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
const NOW = '<tool_call>{"name": "now"}</tool_call>';
const CALLS = { oslo: ['weather', '{"city":"Oslo"}'], now: ['now', '{}'] } as const;

type Case = readonly [output: string, text: string, calls: readonly (readonly string[])[]];

function xml(name: string, values: Readonly<Record<string, string>>): string {
  const parameters = Object.entries(values).map(
    ([parameter, value]) => `<parameter=${parameter}>\n${value}\n</parameter>\n`,
  );
  return `<tool_call>\n<function=${name}>\n${parameters.join('')}</function>\n</tool_call>`;
}

/** Returns the text outside of calls, and the calls, of an output that arrives in pieces of this length. */
function read(output: string, size: number, vocabulary = MARKS, isParallel?: boolean) {
  const reader = toolCallReader(TOOLS, vocabulary, isParallel);
  let text = '';
  for (let at = 0; at < output.length; at += size) text += reader.push(output.slice(at, at + size));
  text += reader.flush();
  return { text, calls: reader.calls.map(({ function: { name, arguments: args } }) => [name, args]) };
}

describe('tool calls', () => {
  const cases: Readonly<Record<string, Case>> = {
    'a call in JSON': [OSLO, '', [CALLS.oslo]],
    'a call after a text': [`I look it up.\n\n${OSLO}\n`, 'I look it up.', [CALLS.oslo]],
    'several calls': [`${OSLO}\n${NOW}`, '', [CALLS.oslo, CALLS.now]],
    'two calls with text between them': [`${OSLO} and ${NOW}`, ' and', [CALLS.oslo, CALLS.now]],
    'a call before a text': [`${OSLO}\nDone.`, '\nDone.', [CALLS.oslo]],
    'a call whose end mark is missing': [OSLO.replace('</tool_call>', ''), '', [CALLS.oslo]],
    'a call whose arguments are a text': [
      OSLO.replace('{"city": "Oslo"}', '"{\\"city\\": \\"Oslo\\"}"'),
      '',
      [CALLS.oslo],
    ],
    'XML, with the types of the schema': [
      xml('weather', { city: '12', days: '3', other: 'true' }),
      '',
      [['weather', '{"city":"12","days":3,"other":true}']],
    ],
    'XML, with a text of several lines': [
      '<tool_call><function=weather><parameter=city>a <b>\n\n c</parameter></function></tool_call>',
      '',
      [['weather', '{"city":"a <b>\\n\\n c"}']],
    ],
    'XML without </function>': [
      xml('weather', { city: 'Oslo' }).replace('</function>', ''),
      '',
      [CALLS.oslo],
    ],
    'XML without </tool_call>': [
      xml('weather', { city: 'Oslo' }).replace('\n</tool_call>', ''),
      '',
      [CALLS.oslo],
    ],
    'XML, with several types for one value': [
      xml('edit', {
        text: '12',
        line: 'null',
        mode: '1',
        all: 'True',
        lines: '[1, 2]',
        size: '3',
        note: '4',
      }) + xml('edit', { text: 'null', line: '4', all: 'False', size: 'large', mode: 'null' }),
      '',
      [
        ['edit', '{"text":"12","line":null,"mode":"1","all":true,"lines":[1,2],"size":3,"note":"4"}'],
        ['edit', '{"text":null,"line":4,"all":false,"size":"large","mode":"null"}'],
      ],
    ],
    'numbers that JavaScript would round or write otherwise': [
      '<tool_call>{"name": "set", "arguments": {"id": 1234567890123456789, "x": [2.0, -1.50]}}</tool_call>' +
        xml('set', { id: '-9223372036854775808', x: '1.0' }) +
        '<|tool_call>call:set{id:1234567890123456789,x:0.0}<tool_call|>',
      '',
      [
        ['set', '{"id":1234567890123456789,"x":[2.0,-1.5]}'],
        ['set', '{"id":-9223372036854775808,"x":1.0}'],
        ['set', '{"id":1234567890123456789,"x":0.0}'],
      ],
    ],
    'XML, with null among enumerated texts': [
      xml('edit', { rank: '1' }) + xml('edit', { rank: 'null' }),
      '',
      [
        ['edit', '{"rank":"1"}'],
        ['edit', '{"rank":null}'],
      ],
    ],
    'the notation of Gemma 4': [
      'So:\n<|tool_call>call:weather{city:<|"|>Oslo, {N}: "x"\n<|"|>,days:3}<tool_call|><|tool_call>call:now{}<tool_call|>',
      'So:',
      [['weather', '{"city":"Oslo, {N}: \\"x\\"\\n","days":3}'], CALLS.now],
    ],
    'the notation of Gemma 4 with lists, objects and texts without marks': [
      '<|tool_call>call:edit{text:None,line:null,lines:[1,-2.5],o:{<|"|>a b<|"|>:true,None:1,false:2,c:[<|"|>x<|"|>]},mode:fast one}',
      '',
      [
        [
          'edit',
          '{"text":null,"line":null,"lines":[1,-2.5],"o":{"a b":true,"None":1,"false":2,"c":["x"]},"mode":"fast one"}',
        ],
      ],
    ],
    'a list after the mark of Mistral': [
      'I look.[TOOL_CALLS] [{"name": "weather", "arguments": {"city": "Oslo"}, "id": "abcDEF123"}, {"name": "now", "arguments": {}}]',
      'I look.',
      [CALLS.oslo, CALLS.now],
    ],
    'names after the mark of Mistral': [
      '[TOOL_CALLS]weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]now[CALL_ID]abcDEF123[ARGS]{}[TOOL_CALLS]now{}',
      '',
      [CALLS.oslo, CALLS.now, CALLS.now],
    ],
    'the mark of Llama after a text': [
      'I look.<|python_tag|>{"name": "weather", "parameters": {"city": "Oslo"}}; {"name": "now", "parameters": {}}',
      'I look.',
      [CALLS.oslo, CALLS.now],
    ],
    'the mark of Llama, with a semicolon and a bracket in a text': [
      '<|python_tag|>{"name": "weather", "parameters": {"city": "a; {b}"}}',
      '',
      [['weather', '{"city":"a; {b}"}']],
    ],
    'JSON with a mark in a text': [
      '{"name": "weather", "parameters": {"city": "<tool_call>"}}',
      '',
      [['weather', '{"city":"<tool_call>"}']],
    ],
    'an output of JSON only': ['{"name": "weather", "parameters": {"city": "Oslo"}}', '', [CALLS.oslo]],
    'a list in JSON': [
      ' [{"name": "weather", "arguments": {"city": "Oslo"}}, {"type": "function", "function": {"name": "now"}}]',
      '',
      [CALLS.oslo, CALLS.now],
    ],
  };
  for (const [notation, [output, text, calls]] of Object.entries(cases))
    it(`are read from ${notation}`, () => {
      for (let size = 1; size <= output.length; size++)
        assert.deepEqual(read(output, size), { text, calls }, String(size));
    });

  for (const text of [
    '<|tool_call>call: me<tool_call|> !',
    '<|tool_call>call:weather{"city":"Oslo"}<tool_call|> !',
    'The mark [TOOL_CALLS] begins',
    'So: [TOOL_CALLS]weather[ARGS]{city: Oslo}',
    '<tool_call>what?</tool_call> !',
    '<tool_call>{"name": ""}</tool_call> !',
    '<tool_call>{"name": "now", "arguments": [1]}</tool_call> !',
    '<tool_call>{"name": "now", "arguments": 1.0}</tool_call> !',
    '<tool_call>\n<function=weather>\n<parameter=days>\n3\n</parameter>\n<parameter=city>\nOs',
    '<tool_call>\n<function=weather>\n',
    '<tool_call>\n<function=weather>\n<parameter=city>\nOslo</tool_call> !',
    '[TOOL_CALLS][{"name": "now", "arguments": {}}, {"name": ""}]',
    '<tool_call>\n<function=edit>\n<parameter=text>\n</function>\n</parameter>\n',
    '<tool_call>\n<function=weather>\n<parameter=days>\n3\n</parameter>\n</funct',
    '[TOOL_CALLS][{"name": "now"}, 3] !',
    'Text.\n{"name": "now"}',
    'So: <tool_call> is a mark',
    'a <tool',
    '{"name": "Ann", "age": 3}',
    '[1, 2,\n 3]\n',
    '{"name": "weather", "para',
    ' if (a < b) {\n  return;\n}\n\n',
  ])
    it(`are not read from a text that resembles a call: ${JSON.stringify(text)}`, () => {
      for (let size = 1; size <= text.length; size++)
        assert.deepEqual(read(text, size), { text, calls: [] }, String(size));
    });

  it('keep the ids that the model writes, and otherwise get nine letters and digits', () => {
    const idsOf = (output: string) => {
      const reader = toolCallReader(TOOLS, MARKS);
      reader.push(output);
      reader.flush();
      return reader.calls.map(({ id }) => id);
    };
    const id = 'abcDEF123';
    assert.deepEqual(idsOf(`[TOOL_CALLS][{"name": "now", "arguments": {}, "id": "${id}"}]`), [id]);
    assert.deepEqual(idsOf(`[TOOL_CALLS]now[CALL_ID]${id}[ARGS]{}`), [id]);
    const ids = idsOf(`${OSLO}${NOW}${NOW}<tool_call>{"name": "now", "id": ""}`);
    assert.equal(new Set(ids).size, 4);
    for (const newId of ids) assert.match(newId, /^[a-zA-Z0-9]{9}$/);
  });

  it('are not recognized by marks that are not tokens of the vocabulary', () => {
    const text = 'Mistral writes [TOOL_CALLS]now{}';
    assert.deepEqual(read(text, 7, { specialTokenId: () => undefined }), { text, calls: [] });
  });

  it('are cut to the first one if the client wants no parallel calls', () => {
    assert.deepEqual(read(`${OSLO}${NOW}`, 7, MARKS, false), { text: '', calls: [CALLS.oslo] });
  });

  it('do not hold back text that cannot become a call', () => {
    const reader = toolCallReader(TOOLS, MARKS);
    assert.equal(reader.push('a <'), 'a');
    assert.equal(reader.push('b> c '), ' <b> c');
    assert.equal(reader.push('{"name": '), ' {"name":');
    assert.equal(reader.push('\n<tool_call>{'), '');
    const json = '{ "a": [1, 2, 3, 4, 5, 6, 7, 8]';
    assert.equal(toolCallReader(TOOLS, MARKS).push(json), json);
  });
});
