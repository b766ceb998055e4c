// Fields that some version of transformers writes for models of every family: settings of generation, training,
// classifiers and its own code. None of them affects the pass of a decoder.

export const FIELDS_OF_ALL_MODELS: readonly string[] = `
  _attn_implementation _attn_implementation_autoset _attn_implementation_internal _commit_hash attn_implementation
  bad_words_ids begin_suppress_tokens chunk_size_feed_forward cross_attention_hidden_size
  decoder_start_token_id diversity_penalty do_sample early_stopping encoder_no_repeat_ngram_size
  exponential_decay_length_penalty finetuning_task forced_bos_token_id forced_eos_token_id id2label is_decoder label2id
  length_penalty max_length min_length no_repeat_ngram_size num_beam_groups num_beams num_labels num_return_sequences
  output_scores prefix problem_type pruned_heads remove_invalid_values repetition_penalty return_dict_in_generate
  return_unused_kwargs sep_token_id suppress_tokens task_specific_params temperature tf_legacy_loss
  tie_encoder_decoder tokenizer_class top_k top_p torchscript typical_p use_bfloat16
`
  .trim()
  .split(/\s+/);
