// Preloaded into a program: throws uncaught errors on a signal.
process.on('SIGUSR2', () => {
  void Promise.reject(new Error('a promise that nobody looks at'));
  throw new Error('an error that nobody catches');
});
