// Test doubles that replace some methods of an object and leave the others to it.

export function overlaid<T extends object>(inner: T, own: Partial<T>): T {
  return new Proxy(inner, {
    get(_, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown;
      const value: unknown = Reflect.get(inner, name, inner);
      return typeof value === 'function' ? (value.bind(inner) as unknown) : value;
    },
  });
}
