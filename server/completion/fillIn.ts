// Prompts that fill in between two texts, in the form that the model was trained on. Special tokens in the texts are
// text.
import { fimFormat, fimPrompt } from '../completion/prompt/fimPrompt';
import { healing } from '../completion/text/healing';
import { quotedFiles } from '../completion/prompt/prompt';
import { lineEndOf, withLf } from '../completion/text/lineEnds';
import type { Snippet } from '../completion/prompt/snippets';
import type { LoadedModel } from '../hosting/loadedModel';
import type { Choice } from './generation';
import { HttpError } from './httpError';
import { tokenizerOf } from './modelFields';

export interface Hole {
  readonly prefix: string;
  readonly suffix: string;
  readonly fileName?: string | undefined;
  /** Pieces of other files, the most helpful last. */
  readonly others?: readonly Snippet[];
  /** Text that the output continues, which follows the prefix directly. */
  readonly begun?: string;
}

/** What llama.cpp calls a file that has no name. */
const NO_NAME = 'filename';
/** Languages whose comments do not begin with slashes, by the endings of their files. */
const LANGUAGES: readonly (readonly [languageId: string, endings: RegExp])[] = [
  ['python', /\.(pyi?|rb|sh|ya?ml|toml|mk|r|pl|exs?|jl|coffee|ps1)$|(^|\/)(Makefile|Dockerfile)$/i],
  ['sql', /\.(sql|lua|hs|elm)$/i],
  ['html', /\.(html?|xml|md|vue|svelte)$/i],
  ['css', /\.css$/i],
];

export interface FillIn extends Pick<Choice, 'promptIds' | 'healed' | 'lineEnd'> {
  readonly isCut: boolean;
}

/** Throws HttpError for a model that cannot fill in. */
export function fillIn(hole: Hole, model: LoadedModel, maxTokens: number): FillIn {
  const tokenizer = tokenizerOf(model);
  if (fimFormat(tokenizer) === undefined) throw cannotFillIn(model);
  const { maxPositionEmbeddings: context } = model.engine.config;
  const budget = Math.max(context - maxTokens, Math.ceil(context / 2));
  const typed = hole.prefix + (hole.begun ?? '');
  const [prefix, suffix] = [withLf(typed), withLf(hole.suffix)];
  const others = (hole.others ?? []).map(({ fileName, text }) => ({ fileName, text: withLf(text) }));
  const languageId = languageOf(hole.fileName ?? others.at(-1)?.fileName ?? '');
  const quoted = quotedFiles(others, languageId, budget, { tokenizer, otherFiles: model.otherFiles });
  const prompt = (before: string, room = budget): readonly number[] => {
    const texts = { fileName: hole.fileName ?? NO_NAME, prefix: before, suffix, ...quoted };
    return fimPrompt(texts, tokenizer, room, model.layout) ?? [];
  };
  const healed = healing(prefix, tokenizer);
  const promptIds = prompt(prefix);
  return {
    promptIds,
    healed: healed && { ids: prompt(healed.kept), removed: healed.removed },
    lineEnd: lineEndOf(typed + hole.suffix),
    // With twice the room, as much as that would stay of a text that is cut.
    isCut: prompt(prefix, 2 * budget).length > promptIds.length,
  };
}

/** A language with such comments. */
function languageOf(fileName: string): string {
  return LANGUAGES.find(([, endings]) => endings.test(fileName))?.[0] ?? '';
}

function cannotFillIn({ info }: LoadedModel): HttpError {
  const message = `Expected a model with fill-in-the-middle tokens, got ${info.target}, which has none; use another model, or /v1/completions without a suffix`;
  return new HttpError(501, { message, type: 'not_supported_error', code: 'not_supported' });
}
