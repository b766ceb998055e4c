// Preloaded into a program: on SIGUSR2, throws TEST_ERRORS pairs of uncaught errors, by default one pair.
process.on('SIGUSR2', () => {
  for (let i = 0; i < Number(process.env['TEST_ERRORS'] ?? 1); i++) {
    void Promise.reject(new Error('an unhandled rejection'));
    setImmediate(() => {
      throw new Error('an uncaught error');
    });
  }
});
