// Fences of code blocks in chats.

/** Returns a fence for a code block that `text` cannot close. */
export function codeFence(text: string): string {
  const runs = [...text.matchAll(/`{3,}/g)].map(([run]) => run.length);
  return '`'.repeat(Math.max(2, ...runs) + 1);
}
