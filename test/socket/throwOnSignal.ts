// Loaded before a program: makes it meet errors that nobody catches.
process.on('SIGUSR2', () => {
  void Promise.reject(new Error('a promise that nobody looks at'));
  throw new Error('an error that nobody catches');
});
