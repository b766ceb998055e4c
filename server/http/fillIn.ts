// Prompts that fill in between two texts, in the form that the model was trained on. Special tokens in the texts are
// text.
import type { FimLayout } from '../completion/decoder';
import { fimFormat, fimLayouts, fimPrompt } from '../completion/fimPrompt';
import { fileSeparator, separated, snippetSegments } from '../completion/prompt';
import { lineEndOf, withLf, type LineEnd } from '../completion/lineEnds';
import type { Snippet } from '../completion/snippets';
import type { LoadedModel } from '../lsp/loadedModel';
import { HttpError } from './httpError';
import { tokenizerOf } from './modelFields';
import { requireRoom } from './promptCheck';

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
const SNIPPET_SHARE = 0.3;

export interface FillIn {
  readonly ids: readonly number[];
  readonly isCut: boolean;
  /** That of the texts around the hole. */
  readonly lineEnd: LineEnd;
}

/** Throws HttpError for a model that cannot fill in. */
export function fillIn(hole: Hole, model: LoadedModel, maxTokens: number): FillIn {
  const { fileName = NO_NAME, others = [] } = hole;
  const around = [hole.prefix, hole.begun ?? '', hole.suffix] as const;
  const [prefix, begun, suffix] = [withLf(around[0]), withLf(around[1]), withLf(around[2])];
  const tokenizer = tokenizerOf(model);
  if (fimFormat(tokenizer) === undefined) throw cannotFillIn(model);
  const { maxPositionEmbeddings: context } = model.engine.config;
  const budget = Math.max(context - maxTokens, Math.ceil(context / 2));
  // In suffix-prefix-middle the output follows the prefix anyway. In the other layout what was begun comes last, so that
  // the next key press leaves the start of the prompt unchanged.
  const layout: FimLayout = fimLayouts(tokenizer).includes(model.layout) ? model.layout : 'psm';
  const joined = layout === 'spm' || begun === '';
  requireRoom(joined ? '' : begun, (text) => tokenizer.encodeText(text), model);
  const last = joined ? [] : tokenizer.encodeText(begun);
  const room = Math.max(0, budget - last.length);
  const separator = fileSeparator(tokenizer);
  const otherFiles =
    separator === undefined
      ? []
      : snippetSegments(
          others.map(({ fileName, text }) => ({ fileName, text: withLf(text) })),
          room * SNIPPET_SHARE,
          separated(separator, tokenizer),
        );
  const texts = { fileName, prefix: joined ? prefix + begun : prefix, suffix, otherFiles };
  const ids = fimPrompt(texts, tokenizer, room, layout) ?? [];
  // With twice the room, as much as that would stay of a text that is cut.
  const more = fimPrompt(texts, tokenizer, 2 * room, layout) ?? [];
  return { ids: [...ids, ...last], isCut: more.length > ids.length, lineEnd: lineEndOf(around.join('')) };
}

function cannotFillIn({ info }: LoadedModel): HttpError {
  const message = `Expected a model with fill-in-the-middle tokens, got ${info.target}, which has none; use another model, or /v1/completions without a suffix`;
  return new HttpError(501, { message, type: 'not_supported_error', code: 'not_supported' });
}
