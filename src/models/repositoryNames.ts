// The names of repositories that a person types: a target, and perhaps a drafter after it. Pure.

const NAME = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

/** Also taken from the address of a page. Undefined for what is no name, or more than two. */
export function repositoryNames(text: string): readonly string[] | undefined {
  const words = text.trim().split(/[\s,+]+/);
  const names = words.map((word) => word.replace(/^https?:\/\/[^/]+\//, '').replace(/\/+$/, ''));
  return names.length <= 2 && names.every((name) => NAME.test(name)) ? names : undefined;
}
