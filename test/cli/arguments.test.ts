// Tests options with invalid values. Only the test of a missing GPU loads a model. Errors quote values as they were
// written, on one line and without control characters.
import { itComplainsAbout, type BadInput } from './complaint';

const generate = (...args: readonly string[]) => ['generate', '--prompt', 'x', ...args];

const badMaxTokens = ['0', '1.5', 'abc', '1e9', '100001', '9999999999999999999', '', ' 5', '0x10', '５'];
const badDraftLengths = ['abc', '300', '256', '1.5', '', 'FULL', 'full '];

const BAD: readonly BadInput[] = [
  ['an unknown option', generate('--frobnicate'), "'--frobnicate'", 'flashline --help'],
  ['an unknown option with full stops', generate('--a.b. c'), "'--a.b. c'"],
  ['an unknown short option', generate('-x'), "'-x'"],
  ['an option without a value', ['generate', '--prompt'], '--prompt', 'missing'],
  [
    'an option without a value before another option',
    generate('--target', '--drafter', 'none'),
    "'--target' argument is ambiguous. See",
  ],
  ['a flag with a value', ['complete', '--json=yes'], '--json', 'does not take an argument'],
  ['an argument that belongs to no option', ['generate', 'src/app.ts'], "'src/app.ts'"],
  ['an argument after a double dash', generate('--', '--json'), "'--json'"],
  ['a negative --max-tokens', generate('--max-tokens', '-1'), '--max-tokens'],
  [
    'a negative --max-tokens after an equals sign',
    generate('--max-tokens=-1'),
    '--max-tokens',
    '"-1"',
    'from 1 to',
  ],
  ...badMaxTokens.map((value): BadInput => {
    const args = generate('--max-tokens', value);
    return [`--max-tokens ${JSON.stringify(value)}`, args, '--max-tokens', `"${value}"`, '1 to 100000'];
  }),
  ['a negative --draft-length', generate('--draft-length=-1'), '--draft-length', '"-1"', 'or full'],
  ...badDraftLengths.map((value): BadInput => {
    const args = generate('--draft-length', value);
    return [`--draft-length ${JSON.stringify(value)}`, args, '--draft-length', `"${value}"`, 'or full'];
  }),
  [
    '--drafter-bits 3',
    generate('--drafter-bits', '3'),
    '--drafter-bits to be auto or stored or 4 or 8 or 16',
    '"3"',
  ],
  [
    'an empty --drafter-bits',
    generate('--drafter-bits', ''),
    '--drafter-bits to be auto or stored or 4 or 8 or 16',
    '""',
  ],
  ['--device tpu', generate('--device', 'tpu'), '--device to be cpu or gpu', '"tpu"'],
  ['an empty --device', generate('--device', ''), '--device to be cpu or gpu', '""'],
  ['--max-tokens 0 of complete', ['complete', 'package.json:1:1', '--max-tokens', '0'], '--max-tokens'],
  ['--max-tokens 0 of demo', ['demo', '--max-tokens', '0'], '--max-tokens'],
  ['a value of several lines', generate('--device', 'cpu\r\n\tgpu\u2028'), '"cpu gpu "'],
  ['a value that moves the cursor', generate('--device', '\u001b[2J\u0007x'), '" [2J x"'],
  ['an emoji in --max-tokens', generate('--max-tokens', '1😀'), '"1😀"'],
];

describe('arguments of the command line', () => {
  itComplainsAbout(BAD);

  if (process.platform !== 'darwin') {
    itComplainsAbout([['--device gpu where there is no GPU', generate('--device', 'gpu'), 'Metal', 'cpu']]);
  }
});
