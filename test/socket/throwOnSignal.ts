// Preloaded into a program: throws two uncaught errors on a signal, or twice the number in the environment.
process.on('SIGUSR2', () => {
  for (let i = 0; i < Number(process.env['TEST_ERRORS'] ?? 1); i++) {
    void Promise.reject(new Error('an unhandled rejection'));
    setImmediate(() => {
      throw new Error('an uncaught error');
    });
  }
});
