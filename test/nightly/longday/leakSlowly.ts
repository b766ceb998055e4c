// Loaded before a server: it then leaks a timer, a listener and some memory every second, as a defect of it would.
const kept: Buffer[] = [];
setInterval(() => {
  kept.push(Buffer.alloc(2e6, 1));
  setInterval(() => undefined, 2 ** 30);
  process.on('exit', () => kept.length);
}, 1000).unref();
