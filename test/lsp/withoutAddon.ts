// Preload script that makes the native addon fail like one that was built for another machine.
import Module from 'node:module';

// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with the module that it belongs to
const load: (this: unknown, id: string) => unknown = Module.prototype.require;

Object.assign(Module.prototype, {
  require(this: unknown, id: string): unknown {
    if (id === '@frost-beta/mlx') throw new Error('node_mlx.node: wrong ELF class');
    return load.call(this, id);
  },
});
