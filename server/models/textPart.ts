// Where the files of a checkpoint have the decoder of its text: alone, or nested in a model that reads images too, in
// one of two ways. Only names are read.

export interface TextPart {
  /** Before every name, that of the head too. */
  readonly prefix: string;
  /** The module of everything but the head. */
  readonly root: string;
}

const ALONE: TextPart = { prefix: '', root: 'model' };
const NESTED: readonly TextPart[] = [
  { prefix: '', root: 'model.language_model' },
  { prefix: 'language_model.', root: 'model' },
];

/** By the layers among the tensor names; a file without any counts as text alone. */
export function findTextPart(names: readonly string[]): TextPart {
  const has = ({ prefix, root }: TextPart): boolean =>
    names.some((name) => name.startsWith(`${prefix}${root}.layers.`));
  return NESTED.find(has) ?? ALONE;
}
