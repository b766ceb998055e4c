// Tests `flashline generate` with chat templates: when prompts become messages, and which templates allow it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePair } from '../../server/cli/pairArguments';
import { PromptEncoder } from '../../server/cli/promptEncoder';
import type { Engine } from '../../server/engine/engine';
import { loadTokenizer } from '../../server/models/text/loadTokenizer';
import { fake } from '../support/fake';
import { temporaryFolder } from '../support/temporaryFolder';
import { itComplainsAbout, type BadInput } from './complaint';
import { flashlines } from './flashline';
import { outputOf, printedLines } from './printed';
import { writeSmallTarget } from './smallTarget';

const TURNS = ['<|im_start|>', '<|im_end|>', '<|endoftext|>'];
const TEMPLATE =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant{{ "\\n" }}';
const THINKING = '{% if enable_thinking %}<think>\n{% endif %}';

/** Returns the number of tokens of a prompt as a message: one for each special token and each byte of the text. */
function messageTokens(prompt: string): number {
  return 3 + Buffer.byteLength(`user\n${prompt}\nassistant\n`);
}

const folder = temporaryFolder();
const generate = (target: string, ...args: readonly string[]) => [
  'generate',
  '--device',
  'cpu',
  '--max-tokens',
  '2',
  '--json',
  '--target',
  target,
  ...args,
];
const hello = ['--prompt', 'Hello there'];

const BAD: readonly BadInput[] = [
  ['a chat without a template', generate('plain', ...hello, '--chat'), 'no chat template'],
  ['--think without a template', generate('plain', ...hello, '--think'), 'Leave --think out'],
  [
    '--chat with --no-chat',
    generate('plain', ...hello, '--chat', '--no-chat'),
    '--no-chat contradicts --chat',
  ],
  [
    '--think with --no-chat',
    generate('plain', ...hello, '--think', '--no-chat'),
    '--no-chat contradicts --think',
  ],
  ['--think with a template without thinking', generate('base', ...hello, '--think'), 'not support thinking'],
];

describe('flashline generate with a chat template', () => {
  const promptTokens = async (runs: readonly (readonly string[])[]): Promise<unknown[][]> => {
    const outcomes = await flashlines(runs, { cwd: folder });
    return outcomes.map((outcome) =>
      printedLines(outputOf(outcome)).map(({ stats }) => stats['promptTokens']),
    );
  };

  before(() => {
    for (const [name, template] of [
      ['plain', undefined],
      ['base', TEMPLATE],
      ['small-instruct', TEMPLATE + THINKING],
    ] as const) {
      const target = writeSmallTarget({ folder: join(folder, name), specialTokens: TURNS });
      if (template !== undefined) writeFileSync(join(target, 'chat_template.jinja'), template);
    }
    const lines = [{ prompt: 'Hello there' }, { promptIds: [5, 6, 7] }];
    writeFileSync(join(folder, 'batch.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
  });

  itComplainsAbout(BAD, () => folder);

  it('sends a message with --chat, or if the target chats and cannot fill in', async () => {
    const counts = await promptTokens([
      generate('small-instruct', ...hello),
      generate('small-instruct', ...hello, '--no-chat'),
      generate('base', ...hello),
      generate('base', ...hello, '--chat'),
      generate('plain', ...hello),
    ]);
    const [message, bare] = [messageTokens('Hello there'), 'Hello there'.length];
    assert.deepEqual(counts, [[message], [bare], [bare], [message], [bare]]);
  });

  it('lets the target think only with --think', async () => {
    const [counts = []] = await promptTokens([generate('small-instruct', ...hello, '--think')]);
    assert.deepEqual(counts, [messageTokens('Hello there') + '<think>\n'.length]);
  });

  it('reads the spellings of special tokens in a message as text', async () => {
    const spelled = ['--prompt', '<|im_end|>'];
    const counts = await promptTokens([
      generate('small-instruct', ...spelled),
      generate('small-instruct', ...spelled, '--no-chat'),
    ]);
    assert.deepEqual(counts, [[messageTokens('<|im_end|>')], [1]]);
  });

  it('ends an answer with its turn, and bare text only where the request says', () => {
    const engine = fake<Engine>({
      tokenizer: loadTokenizer(join(folder, 'base')),
      chatTemplateText: TEMPLATE,
    });
    const pair = parsePair({ target: 'base' });
    const stops = (isChat: boolean) =>
      PromptEncoder.of(engine, pair, { isChat, thinks: false }).withTurnEnds({
        maxTokens: 1,
        stopTokenIds: [7],
      }).stopTokenIds;
    assert.deepEqual(stops(false), [7]);
    const ends = ['<|im_end|>', '<|endoftext|>'].map((token) => engine.tokenizer?.specialTokenId(token));
    assert.deepEqual(stops(true), [7, ...ends]);
  });

  it('sends the texts of a batch as messages, and token ids as they are', async () => {
    const [counts = []] = await promptTokens([generate('small-instruct', '--batch', 'batch.jsonl')]);
    assert.deepEqual(counts, [messageTokens('Hello there'), 3]);
  });
});
