// The fill-in-the-middle tokens that the vocabularies of most tests have: those of the Qwen family.
export const FIM_TOKENS = ['<|file_sep|>', '<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'] as const;
