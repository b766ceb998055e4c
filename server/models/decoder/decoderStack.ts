// A whole decoder of the Llama shape: token table, layers, final norm, output head. Tensor names equal the
// checkpoint's.
import { readEosTokenIds, type DecoderConfig } from './decoderConfig';
import { DecoderLayers, type Mixers } from './decoderLayers';
import { inStreams } from '../mlx/inStreams';
import type { LayerCache } from './layerCache';
import type { Embedding, Linear } from '../mlx/linear';
import * as mx from '../mlx/ops';
import type { ModelFiles } from '../checkpoint/modelFolder';
import { outputHead, softCap } from './outputHead';
import type { Forward, TargetModel } from './target';
import { Weights, type NormOffset } from '../checkpoint/weights';

/** Possible prefixes of all tensor names; mlx-community nests the text part of models that also read images. */
const PREFIXES = ['', 'language_model.'];
/** Module of the text part, except its output head, in the published form of models that also read images. */
const NESTED = 'model.language_model';
/** Tensors that exporters add although no pass needs them. */
const UNUSED = /rotary_emb\.inv_freq$/;

/**
 * Loads a decoder from its files. `loadMixers` loads the mixers of its layers; `normOffset` replaces that of the
 * config. Throws UserError.
 */
export async function decoderStack<Pass>(
  files: ModelFiles,
  parsed: DecoderConfig,
  loadMixers: (weights: Weights) => Mixers<Pass>,
  normOffset: NormOffset | undefined = parsed.normOffset,
): Promise<TargetModel> {
  const config = { ...parsed, eosTokenIds: readEosTokenIds(files.directory, parsed.eosTokenIds) };
  return await Weights.load({ ...files, prefixes: PREFIXES, normOffset }, (weights) =>
    buildTarget(weights, config, loadMixers(weights)),
  );
}

function buildTarget<Pass>(weights: Weights, config: DecoderConfig, mixers: Mixers<Pass>): TargetModel {
  const { vocabSize, hiddenSize, rmsNormEps, embeddingScale, finalLogitSoftcapping: cap } = config;
  const root = weights.hasModule(NESTED) ? NESTED : 'model';
  const embedTokens = weights.embedding(`${root}.embed_tokens`, vocabSize, hiddenSize);
  const layers = new DecoderLayers(weights, root, config, mixers);
  const norm = weights.norm(`${root}.norm`, hiddenSize);
  weights.ignore(UNUSED);
  if (config.otherParts) weights.ignore(config.otherParts);
  const head = loadHead(weights, embedTokens, config);
  const logitsOf = outputHead(weights, head);

  const embed = (tokens: mx.MxArray): mx.MxArray => {
    const rows = embedTokens.embed(tokens);
    return embeddingScale === undefined ? rows : mx.multiply(rows, embeddingScale);
  };

  const runPass = (tokens: mx.MxArray, caches: readonly LayerCache[], taps: readonly number[]): Forward => {
    const embedded = embed(tokens);
    const { h, tapped } = layers.run(tokens, embedded, caches, taps);
    return {
      hidden: mx.rmsNorm(h, norm, rmsNormEps),
      taps: tapped.length > 0 ? mx.concatenate(tapped, 2) : undefined,
    };
  };

  return {
    config,
    tables: { table: embedTokens.table, head: head.weights, embeddingScale, finalLogitSoftcapping: cap },
    newCaches: (expectedRows) => layers.newCaches(expectedRows),

    forward(tokens, caches, taps) {
      // Recurrent layers can forget only the last `maxBlockSize` rows of a pass, so their caches depend on where a pass
      // ends, and passes are not split.
      if (config.maxBlockSize !== undefined) return runPass(tokens, caches, taps);
      const parts = inStreams(weights.device.name, tokens.size, (from, to) => {
        const part = from === 0 && to === tokens.size ? tokens : mx.slice(tokens, 0, from, to);
        return runPass(part, caches, taps);
      });
      const tapped = parts.flatMap((part) => part.taps ?? []);
      return {
        hidden: joinRows(parts.map(({ hidden }) => hidden)),
        taps: tapped.length > 0 ? joinRows(tapped) : undefined,
      };
    },

    logits: (hidden) => softCap(logitsOf(hidden), cap),
    embed,
    dispose: () => {
      weights.dispose();
    },
  };
}

/** Joins parts [1, rows, width] along their rows. */
function joinRows(parts: readonly mx.MxArray[]): mx.MxArray {
  const [first] = parts;
  return first && parts.length === 1 ? first : mx.concatenate(parts, 1);
}

/**
 * Loads the output head: the embedding table if config.json says so, otherwise a separate one. If it says nothing, the
 * weights decide, as the defaults of exporters differ.
 */
function loadHead(weights: Weights, embedTokens: Embedding, config: DecoderConfig): Linear {
  if (config.tieWordEmbeddings ?? !weights.has('lm_head.weight')) {
    weights.ignore(/^lm_head\./);
    return embedTokens.asLinear();
  }
  return weights.linear('lm_head', config.vocabSize, config.hiddenSize);
}
