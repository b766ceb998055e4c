// A cursor that rests where nothing was typed: a place where the person was, and perhaps the next one where they type. Its
// prompt is read in advance, while nothing else is to be done.
import type { ServerSettings } from '../../rules/serverSettings';
import { completionContext } from '../prompt/context';
import type { EditorState, CompletionModel, SessionDecoder, SessionParts } from './editorState';
import type { Prefetch } from './prefetch';
import { type SuggestRequest, type SuggestTools, askedOf } from './suggest';
import { healing } from '../text/healing';
import { completionPrompt } from '../prompt/prompt';

export interface Rest {
  readonly uri: string;
  readonly offset: number;
  readonly settings: RestSettings;
}

type RestSettings = SuggestRequest['settings'] &
  Pick<ServerSettings, 'useOpenFiles' | 'prefetch' | 'pauseOnBattery' | 'maxPromptTokens'>;

type Tools<M> = (
  request: SuggestRequest & { readonly settings: RestSettings },
  model: M,
  decoder: SessionDecoder,
) => SuggestTools;

export class RestingCursor<M extends CompletionModel> {
  #now: Rest | undefined;

  constructor(
    private readonly parts: SessionParts<M>,
    private readonly editor: EditorState,
    private readonly prefetch: Prefetch,
    private readonly tools: Tools<M>,
  ) {}

  at(rest: Rest): void {
    const document = this.editor.document(rest.uri);
    if (document === undefined || document.ineligible !== undefined) return;
    this.#now = rest;
    this.editor.visited(document, rest.offset);
    // No model is loaded for it.
    if (!this.parts.models.isIdle) return;
    const { offset, settings } = rest;
    const context = completionContext(document, offset);
    const when = settings.prefetch === 'always' && settings.pauseOnBattery ? 'pluggedIn' : settings.prefetch;
    this.prefetch.start({ document, start: offset, context }, when, (signal) =>
      this.parts.models.use(async (model) => {
        if (model === undefined || signal.aborted) return;
        const decoder = this.parts.decoder(model, 'prefetch');
        if (decoder.isRemote) return;
        const request = { context, trigger: 'automatic', settings, signal } as const;
        await readAhead(request, this.tools(request, model, decoder));
        decoder.record(document.fileName);
      }),
    );
  }

  /** Prompts for a document have changed at another place. */
  changed(uri: string): void {
    if (this.#now?.uri !== uri) return;
    this.prefetch.stop();
    this.at(this.#now);
  }

  /** Something is typed or requested. */
  end(): void {
    this.#now = undefined;
  }
}

/** The prompt is the one that a request would have; of the answer one token is computed, as no less can be asked. */
async function readAhead(request: SuggestRequest, tools: SuggestTools): Promise<void> {
  const { decoder } = tools;
  const { context, snippets, budget, signal, promptLookupText } = askedOf(request, tools);
  const prefix = healing(context.prefix, decoder.tokenizer)?.kept ?? context.prefix;
  const prompt = completionPrompt({ context, prefix, snippets, budget }, decoder);
  if (prompt === undefined) return;
  const { ids, ...limits } = prompt;
  const pieces = decoder.decode(ids, { ...limits, maxTokens: 1, signal, promptLookupText });
  for await (const _ of pieces) return;
}
