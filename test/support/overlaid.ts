// Test doubles that replace some members of an object and take the rest from it.

export function overlaid<T extends object>(inner: T, overrides: Partial<T>): T {
  return new Proxy(inner, {
    get(_, name) {
      if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name) as unknown;
      const value: unknown = Reflect.get(inner, name, inner);
      return typeof value === 'function' ? (value.bind(inner) as unknown) : value;
    },
  });
}
