// Preloaded into a program: throws uncaught errors on a signal.
process.on('SIGUSR2', () => {
  void Promise.reject(new Error('an unhandled rejection'));
  throw new Error('an uncaught error');
});
