// `flashline models`: lists, downloads, verifies and removes models. Only downloads need a network.
import { visibleJson, visibleText } from '../../rules/visibleText';
import { info, list } from './listing';
import { parseModelsArguments, type Action, type ModelsArguments, type Printout } from './modelsArguments';
import { pull } from './pull';
import { remove } from './remove';
import { verify } from './verify';

const ACTIONS: Readonly<Record<Action, (args: ModelsArguments) => Printout | Promise<Printout>>> = {
  list,
  info,
  pull,
  remove,
  verify,
};

export async function models(args: string[]): Promise<void> {
  const parsed = parseModelsArguments(args);
  const { value, lines } = await ACTIONS[parsed.action](parsed);
  const text = parsed.json ? visibleJson(value) : visibleText(lines.join('\n'));
  if (text !== '') process.stdout.write(`${text}\n`);
}
