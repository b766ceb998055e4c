// The error for a model of an unsupported family: it names the family, and a supported model for the same purpose.
import { UserError, type WrongValue } from '../../rules/userError';

const CODE = 'Qwen2.5-Coder';
const LARGE_CODE = 'Qwen3-Coder';
const CHAT = 'Qwen3';
const HYBRID = 'Qwen3.5';

/** Families by the prefix of their `model_type`; a longer prefix comes before a shorter one that it begins with. */
const FAMILIES: readonly (readonly [prefix: string, name: string, instead: string])[] = [
  ['starcoder2', 'StarCoder2', CODE],
  ['gpt_bigcode', 'StarCoder', CODE],
  ['codegen', 'CodeGen', CODE],
  ['codeshell', 'CodeShell', CODE],
  ['granitemoe', 'Granite with experts', LARGE_CODE],
  ['granite', 'Granite', CODE],
  ['seed_oss', 'Seed-OSS', LARGE_CODE],
  ['deepseek_vl', 'DeepSeek-VL', CHAT],
  ['deepseek', 'DeepSeek', LARGE_CODE],
  ['kimi', 'Kimi', LARGE_CODE],
  ['glm', 'GLM', LARGE_CODE],
  ['chatglm', 'ChatGLM', LARGE_CODE],
  ['gpt_oss', 'gpt-oss', LARGE_CODE],
  ['mixtral', 'Mixtral', LARGE_CODE],
  ['mistral4', 'Mistral 4', LARGE_CODE],
  ['ministral', 'Ministral', CHAT],
  ['pixtral', 'Pixtral', CHAT],
  ['llama4', 'Llama 4', LARGE_CODE],
  ['mllama', 'Llama 3.2 Vision', CHAT],
  ['minimax', 'MiniMax', LARGE_CODE],
  ['ernie4_5', 'ERNIE 4.5', CHAT],
  ['hunyuan', 'Hunyuan', CHAT],
  ['phimoe', 'Phi-3.5-MoE', LARGE_CODE],
  ['phi', 'Phi', CODE],
  ['qwen2_moe', 'Qwen1.5-MoE', LARGE_CODE],
  ['qwen2_vl', 'Qwen2-VL', HYBRID],
  ['qwen2_5_vl', 'Qwen2.5-VL', HYBRID],
  ['qwen3_vl', 'Qwen3-VL', HYBRID],
  ['qwen3_omni', 'Qwen3-Omni', HYBRID],
  ['qwen4', 'Qwen4', HYBRID],
  ['gemma3n', 'Gemma 3n', 'Gemma 4'],
  ['recurrent_gemma', 'RecurrentGemma', 'Gemma 4'],
  ['paligemma', 'PaliGemma', 'Gemma 4'],
  ['cohere', 'Command R', CHAT],
  ['olmo', 'OLMo', CHAT],
  ['flex_olmo', 'FlexOlmo', CHAT],
  ['internlm', 'InternLM', CHAT],
  ['baichuan', 'Baichuan', CHAT],
  ['minicpm', 'MiniCPM', CHAT],
  ['exaone', 'EXAONE', CHAT],
  ['smollm3', 'SmolLM3', CHAT],
  ['apertus', 'Apertus', CHAT],
  ['helium', 'Helium', CHAT],
  ['arcee', 'Arcee', CHAT],
  ['nemotron', 'Nemotron', CHAT],
  ['falcon', 'Falcon', CHAT],
  ['mamba', 'Mamba', HYBRID],
  ['jamba', 'Jamba', HYBRID],
  ['zamba', 'Zamba', HYBRID],
  ['bamba', 'Bamba', HYBRID],
  ['rwkv', 'RWKV', HYBRID],
  ['lfm2', 'LFM2', HYBRID],
  ['plamo', 'PLaMo', HYBRID],
  ['stablelm', 'StableLM', CHAT],
  ['gpt_neox', 'GPT-NeoX', CODE],
  ['gptj', 'GPT-J', CODE],
  ['gpt_neo', 'GPT-Neo', CODE],
  ['gpt2', 'GPT-2', CODE],
  ['opt', 'OPT', CHAT],
  ['bloom', 'BLOOM', CHAT],
  ['mpt', 'MPT', CHAT],
  ['dbrx', 'DBRX', LARGE_CODE],
];
const SUPPORTED = 'Qwen2.5, Qwen3, Qwen3.5, Llama, Mistral, Mellum and Gemma';

/** Creates the error for a model of this type. `error` is the reason why the model cannot be read as a Llama. */
export function unsupportedFamily(modelType: string, error?: WrongValue): UserError {
  const type = modelType.toLowerCase();
  const [, name, instead] = FAMILIES.find(([prefix]) => type.startsWith(prefix)) ?? [];
  const why = error ? ` It is no Llama under another name: ${error.difference}.` : '';
  const message =
    name === undefined || instead === undefined
      ? `The model_type ${modelType} is not supported; ${SUPPORTED} are.${why}`
      : `${name} is not supported; ${instead} is.`;
  return new UserError(message, { cause: error });
}
