// How much of a text must wait for what follows, as a string that is looked for may have begun in it.

/** Length of the longest end of `text` that is a proper beginning of a stop string. */
export function unfinishedStop(text: string, stops: readonly string[]): number {
  const longest = stops.reduce((most, stop) => Math.max(most, stop.length - 1), 0);
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (stops.some((stop) => stop.startsWith(end))) return length;
  }
  return 0;
}
