// A gate at which scripted work waits until the test opens it.

/** Returns a promise, and the function that resolves it. */
export function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
