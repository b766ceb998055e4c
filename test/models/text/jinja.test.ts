// Tests that templates render as in Jinja2 3.1 with the options of transformers. The fixtures have the output of
// Jinja2.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { readTemplate } from '../../../server/models/text/jinja/jinja';

type Answers = readonly (readonly [template: string, text: string | null])[];

/** Numbers, digits, and the texts of `%.Nf`, `round`, and `round` by ceil and floor; null where Python has none. */
type Roundings = readonly (readonly [x: number, digits: number, ...texts: (string | null)[]])[];

interface Published {
  readonly conversations: Readonly<Record<string, Record<string, unknown>>>;
  /** Start of the SHA-256 of Jinja2's output, by package and conversation; null if the template refuses it. */
  readonly hashes: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
}

/** Templates that are not supported. They must be refused, never rendered as something else. */
const REFUSED = [
  '{{ 1 < 2 < 3 }}',
  '{{ 3 > 2 > 1 }}',
  '{{ 1 == 1 == 1 }}',
  '{% for x in [1] recursive %}{{x}}{% endfor %}',
  "{{ {'a':1.0,'b':1e20,'c':0.1}|tojson }}",
  'a\n  {%+ if true %}b{% endif %}',
  '{% with a=1 %}{{a}}{% endwith %}',
  '{{ (1,) }}{{ (1,2) }}',
  '{{ [1]+[2] }}{{ (1,)+(2,) }}',
  '{{ [1,2,3]|batch(2)|list }}{{ [[1,2],[3]]|sum(start=[]) }}',
  "{{ '%(a)s' % {'a': 1} }}{{ '%+d' % 4 }}",
];

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(join('test/fixtures', name), 'utf8'));
}

function rendered(template: string, variables: Record<string, unknown>): string | null {
  try {
    return readTemplate(template)(variables);
  } catch {
    return null;
  }
}

describe('the template interpreter', () => {
  it('prints, compares and computes like Python', () => {
    const different = (fixture('jinja-expressions.json') as Answers).filter(
      ([template, text]) => rendered(template, { messages: [], m: {} }) !== text,
    );
    assert.deepEqual(new Set(different.map(([template]) => template)), new Set(REFUSED));
    for (const template of REFUSED) assert.equal(rendered(template, { m: {} }), null);
  });

  it('compares integers of 64 bits exactly', () => {
    const values = { a: 2n ** 63n - 1n, b: 2n ** 63n - 2n };
    const template = '{{ a == b }} {{ a == a }} {{ b < a }} {{ a in [b] }} {{ [a, b]|min }}';
    assert.equal(rendered(template, values), 'False True True False 9223372036854775806');
  });

  it('rounds like Python, by the exact binary value and halves to even', () => {
    for (const [x, digits, ...expected] of fixture('python-rounding.json') as Roundings) {
      const places = String(digits);
      const render = (template: string): string | null => rendered(template, { x: Object(x) as unknown });
      const texts = [
        digits < 0 ? null : render(`{{ '%.${places}f' % x }}`),
        ...['', ", 'ceil'", ", 'floor'"].map((method) => render(`{{ x|round(${places}${method}) }}`)),
      ];
      assert.deepEqual(texts, expected, `${String(x)} with ${places} digits`);
    }
    // Integers stay integers. The last digits of a tiny number are those of its exact value.
    for (const [template, text] of [
      ['{{ 25|round(1) }} {{ 25|round(-1) }} {{ 35|round(-1) }} {{ true|round }}', '25 20 40 1'],
      ["{{ ('%.1074f' % tiny)[-4:] }} {{ ('%.1080f' % tiny)[-10:] }}", '5625 5625000000'],
      ["{{ '%.1f' % endless }} {{ '%f' % -endless }} {{ endless|round(1) }}", 'inf -inf inf'],
      ['{{ large|round(-308) }}', null],
      ["{{ '1.5'|round }}", null],
      ["{{ '%.999999999f' % 1.5 }}", null],
    ] as const)
      assert.equal(rendered(template, { tiny: 5e-324, large: 1.7e308, endless: Infinity }), text, template);
  });

  it('formats dates and times like Python', () => {
    const parts = '%d %m %y %Y %H %I %M %S %j %A %a %B %b %p %% %-d %-m %-y %-H %-I %-M %-S %-j';
    // As strftime of Python prints them.
    for (const [now, expected] of [
      [
        new Date(2024, 1, 5, 15, 4, 9),
        '05 02 24 2024 15 03 04 09 036 Monday Mon February Feb PM % 5 2 24 15 3 4 9 36',
      ],
      [
        new Date(2009, 11, 31, 0, 59, 30),
        '31 12 09 2009 00 12 59 30 365 Thursday Thu December Dec AM % 31 12 9 0 12 59 30 365',
      ],
      [
        new Date(2030, 0, 1, 12, 0, 0),
        '01 01 30 2030 12 12 00 00 001 Tuesday Tue January Jan PM % 1 1 30 12 12 0 0 1',
      ],
    ] as const) {
      mock.timers.enable({ apis: ['Date'], now });
      try {
        assert.equal(rendered(`{{ strftime_now('${parts}') }}`, {}), expected);
      } finally {
        mock.timers.reset();
      }
    }
    assert.equal(rendered("{{ strftime_now('%Q') }}", {}), null);
  });

  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])
    it(`treats ${name} as an ordinary name`, () => {
      const error = (template: string): unknown => {
        try {
          return readTemplate(template)({});
        } catch (thrown) {
          return (thrown as Error).message.replaceAll("'", '');
        }
      };
      for (const filtered of [`{{ 'a'|${name} }}`, `{{ 'a'|${name}(1) }}`, `{{ [1]|map('${name}')|list }}`])
        assert.equal(error(filtered), `no filter named ${name}`);
      for (const tested of [`{{ 'a' is ${name} }}`, `{{ [1]|select('${name}')|list }}`])
        assert.equal(error(tested), `no test named ${name}`);
      for (const object of ["'a'", '[1]', '{}', '1', 'namespace()', 'range']) {
        assert.equal(rendered(`{{ (${object}).${name} is defined }}`, {}), 'False', object);
        assert.equal(error(`{{ (${object}).${name}() }}`), 'Undefined object is not callable');
      }
      assert.equal(rendered(`{{ ${name} is defined }}{{ {'${name}': 1}.${name} }}`, {}), 'False1');
      assert.equal(rendered(`{{ m.${name} is defined }}`, { m: { a: 1 } }), 'False');
    });

  const { conversations, hashes } = fixture('chat-templates.json') as Published;
  for (const [name, expected] of Object.entries(hashes))
    it(`renders every conversation like Jinja2 with the published template ${name}`, () => {
      const config = require.resolve(`${name}/models/tokenizer_config.json`);
      const { chat_template: template } = JSON.parse(readFileSync(config, 'utf8')) as {
        chat_template: string;
      };
      const got = Object.entries(conversations).map(([conversation, variables]) => {
        const text = rendered(template, variables);
        return [conversation, text && createHash('sha256').update(text).digest('hex').slice(0, 16)];
      });
      assert.deepEqual(Object.fromEntries(got), expected);
    });
});
