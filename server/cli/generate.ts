// `flashline generate`: streams the text after a prompt, or decodes many prompts from a file.
import { WrongValue } from '../rules/userError';
import { visibleJson, visibleText } from '../rules/visibleText';
import { statsObject } from '../engine/request/stats';
import { interruptSignal } from './interruptSignal';
import { parseArguments } from './arguments';
import { loadEngine, pairHelp, PAIR_OPTIONS } from './pairArguments';
import { OUTPUT_OPTIONS, outputArguments, outputHelp } from './samplingArguments';
import { chatArguments, CHAT_HELP, CHAT_OPTIONS, PromptEncoder } from './promptEncoder';
import { generateBatch } from './generateBatch';
import { readText } from './sourceLocation';
import { statsTable } from './statsTable';

export const GENERATE_HELP = `flashline generate --prompt TEXT | --prompt-file FILE | --batch FILE.jsonl [options]

Continues a prompt, or answers it as a message, and streams the text; the statistics go to standard error. Special
tokens spelled out in a prompt that is continued, such as <|fim_prefix|>, are read as those tokens.

  --prompt TEXT         the prompt
  --prompt-file FILE    the prompt, from a UTF-8 file
  --batch FILE.jsonl    one prompt per line, {"promptIds":[...]} or {"prompt":"..."}, with any of "maxTokens", "stop"
                        and the sampling options, such as "seed", "topP" and "logprobs"; prints one JSON object per
                        line${CHAT_HELP}
  --max-tokens N        maximum length, in tokens, including the end token (default: 128)
  --stop TEXT           stop before this text; may be repeated
  --json                print one JSON object instead of streaming${pairHelp('full')}
${outputHelp('off')}`;

export async function generate(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      ...OUTPUT_OPTIONS,
      ...CHAT_OPTIONS,
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
    throw new WrongValue({
      expected: 'one of --prompt, --prompt-file and --batch',
      got: sources.length === 0 ? 'none' : String(sources.length),
      remedy: 'give exactly one of them',
    });
  }
  if (values.stop.includes('')) {
    throw new WrongValue({ expected: 'a text after --stop', got: 'an empty string', remedy: 'leave it out' });
  }
  const json = values.json || values.batch !== undefined;
  const { pair, limits: outputLimits } = outputArguments(
    { ...values, json },
    { draftLength: 'full', guard: 'off' },
  );
  const limits = { ...outputLimits, stopStrings: values.stop };
  const chat = chatArguments(values);
  if (values.batch !== undefined) {
    await generateBatch(values.batch, pair, chat, limits);
    return;
  }
  const prompt = values.prompt ?? readText(values['prompt-file'] ?? '');
  if (prompt === '')
    throw new WrongValue({ expected: 'a prompt', got: 'an empty string', remedy: 'give some text' });
  const engine = await loadEngine(pair);
  const encoder = PromptEncoder.of(engine, pair, chat);
  const request = { ...encoder.withTurnEnds(limits), signal: interruptSignal() };
  const decode = engine.decode(encoder.encode(prompt), request);
  // Only a terminal gets control characters escaped; elsewhere the text is data.
  const toOutput = process.stdout.isTTY ? visibleText : (text: string) => text;
  for await (const { text } of decode) if (!values.json) process.stdout.write(toOutput(text));
  const { stats, ...result } = decode.result;
  if (values.json) process.stdout.write(`${visibleJson({ ...result, stats: statsObject(stats) })}\n`);
  else process.stderr.write(`\n\n${statsTable(stats, limits.sampling)}\n`);
}
