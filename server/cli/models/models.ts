// `flashline models`: which there are, and getting, checking and removing them.
import { info } from './info';
import { list } from './list';
import { parseModelsArguments, type Action, type ModelsArguments } from './modelsArguments';
import { pull } from './pull';
import { remove } from './remove';
import { verify } from './verify';

/** What to print: a value for programs and lines for people. */
export interface Printout {
  readonly value: unknown;
  readonly lines: readonly string[];
}

const RUN: Readonly<Record<Action, (args: ModelsArguments) => Printout | Promise<Printout>>> = {
  list,
  info,
  pull,
  remove,
  verify,
};

export async function models(args: string[]): Promise<void> {
  const parsed = parseModelsArguments(args);
  const { value, lines } = await RUN[parsed.action](parsed);
  const text = parsed.json ? JSON.stringify(value) : lines.join('\n');
  if (text !== '') process.stdout.write(`${text}\n`);
}
