// Names of fields of a config.json that do not affect the pass of a decoder. Another field that no parser has read can
// mean that the model computes something that Flashline does not.

/**
 * Fields that some version of transformers writes for models of every family: settings of generation, training,
 * classifiers and its own code.
 */
const TRANSFORMERS_FIELDS = words(`
  _attn_implementation _attn_implementation_autoset _attn_implementation_internal _commit_hash attn_implementation
  bad_words_ids begin_suppress_tokens chunk_size_feed_forward cross_attention_hidden_size
  decoder_start_token_id diversity_penalty do_sample early_stopping encoder_no_repeat_ngram_size
  exponential_decay_length_penalty finetuning_task forced_bos_token_id forced_eos_token_id id2label is_decoder label2id
  length_penalty max_length min_length no_repeat_ngram_size num_beam_groups num_beams num_labels num_return_sequences
  output_scores prefix problem_type pruned_heads remove_invalid_values repetition_penalty return_dict_in_generate
  return_unused_kwargs sep_token_id suppress_tokens task_specific_params temperature tf_legacy_loss
  tie_encoder_decoder tokenizer_class top_k top_p torchscript typical_p use_bfloat16
`);

/**
 * Fields about files, training or other tools, and fields that are read with the weights. `rope_theta` is unread where
 * rope_parameters has it too.
 */
const FILE_AND_TOOL_FIELDS = words(`
  _name_or_path architectures attention_dropout bos_token_id dtype initializer_range output_attentions
  output_hidden_states pad_token_id pretraining_tp quantization quantization_config return_dict rope_theta torch_dtype
  transformers_version unk_token_id use_cache
`);

/**
 * Fields that have the same value in all models of their family, that do not affect how a text is computed, or that
 * matter only in the text part of a config, where the parser reads them.
 */
const KNOWN_FAMILY_FIELDS = words(`
  cache_implementation head_dim hidden_size intermediate_size is_encoder_decoder language_model_only mamba_ssm_dtype
  max_window_layers mlp_only_layers model_type mtp_num_hidden_layers mtp_use_dedicated_embeddings output_router_logits
  partial_rotary_factor qkv_bias rope_local_base_freq router_aux_loss_coef router_jitter_noise
  shared_expert_intermediate_size sliding_window tie_word_embeddings use_bidirectional_attention use_mrope use_qk_norm
  use_sliding_window vocab_size_per_layer_input
`);

/** Fields without effect in a model of any family, also of one that Flashline does not know. */
export const WITHOUT_EFFECT: ReadonlySet<string> = new Set([...TRANSFORMERS_FIELDS, ...FILE_AND_TOOL_FIELDS]);

/** Fields without effect in a model whose family has a parser. */
export const WITHOUT_EFFECT_IF_KNOWN: ReadonlySet<string> = new Set([
  ...WITHOUT_EFFECT,
  ...KNOWN_FAMILY_FIELDS,
]);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
