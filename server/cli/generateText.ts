// `flashline generate`: text after a prompt, streamed, or many prompts from a file.
import { InputError } from '../inputError';
import { loadPair, pairHelp, PAIR_OPTIONS, parseArguments } from './arguments';
import { generateBatch } from './generateBatch';
import { interruptSignal } from './interruptSignal';
import { OUTPUT_OPTIONS, outputArguments, outputHelp } from './samplingArguments';
import { readText } from './sourceLocation';
import { statsObject, statsTable } from './statsTable';

export const GENERATE_HELP = `flashline generate --prompt TEXT | --prompt-file FILE | --batch FILE.jsonl [options]

Continues a prompt and streams the text; the statistics go to standard error. Special tokens that the prompt
spells out, such as <|fim_prefix|>, count as those tokens.

  --prompt TEXT         the prompt
  --prompt-file FILE    the prompt, from a UTF-8 file
  --batch FILE.jsonl    one prompt per line, {"promptIds":[...]} or {"prompt":"..."}, which may have its own
                        "maxTokens", "stop", "seed", "temperature", "topP" and so on up to "logprobs"; prints one
                        JSON object per line
  --max-tokens N        most tokens to generate, the end token included (default: 128)
  --stop TEXT           end before this text; may be given several times
  --json                print one JSON object instead of streaming${pairHelp('full')}
${outputHelp('off')}`;

export async function generate(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      ...OUTPUT_OPTIONS,
      prompt: { type: 'string' },
      'prompt-file': { type: 'string' },
      batch: { type: 'string' },
      'max-tokens': { type: 'string', default: '128' },
      stop: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
  });
  const sources = [values.prompt, values['prompt-file'], values.batch].filter(
    (source) => source !== undefined,
  );
  if (sources.length !== 1) {
    throw new InputError({
      expected: 'one of --prompt, --prompt-file and --batch',
      got: sources.length === 0 ? 'none' : String(sources.length),
      remedy: 'give exactly one of them',
    });
  }
  if (values.stop.includes('')) {
    throw new InputError({ expected: '--stop to be a text', got: 'an empty one', remedy: 'leave it out' });
  }
  const json = values.json || values.batch !== undefined;
  const { pair, limits: said } = outputArguments({ ...values, json }, { draftLength: 'full', guard: 'off' });
  const limits = { ...said, stopStrings: values.stop };
  if (values.batch !== undefined) {
    await generateBatch(readText(values.batch), values.batch, pair, limits);
    return;
  }
  const prompt = values.prompt ?? readText(values['prompt-file'] ?? '');
  if (prompt === '')
    throw new InputError({ expected: 'a prompt', got: 'an empty text', remedy: 'write something' });
  const engine = await loadPair(pair);
  const decode = engine.decode(engine.encodePrompt(prompt), { ...limits, signal: interruptSignal() });
  for await (const { text } of decode) if (!values.json) process.stdout.write(text);
  const { stats, ...result } = decode.result;
  if (values.json) process.stdout.write(`${JSON.stringify({ ...result, stats: statsObject(stats) })}\n`);
  else process.stderr.write(`\n\n${statsTable(stats, limits.sampling)}\n`);
}
