// Counts every call from JavaScript into the addon: functions, methods, constructors, and getters of arrays. For a
// process of its own, as a call that is counted takes longer.
import { core } from '../../server/models/binding';

let calls = 0;

/** Calls since the last time that this was asked. */
export function takeCalls(): number {
  const counted = calls;
  calls = 0;
  return counted;
}

/** To be called once, before anything else uses the addon. */
export function countCalls(): void {
  const ArrayClass = core.array;
  const getters = Object.create(ArrayClass.prototype, countedGetters(ArrayClass.prototype)) as object;
  // Getters of the addon cannot be replaced, so each array gets a prototype between itself and theirs.
  const marked = (result: unknown): unknown => {
    if (result instanceof ArrayClass) Object.setPrototypeOf(result, getters);
    else if (Array.isArray(result)) result.forEach(marked);
    return result;
  };
  countFunctions(ArrayClass.prototype, marked);
  for (const part of [core, core.fast, core.metal]) countFunctions(part, marked);
}

function countFunctions(owner: object, marked: (result: unknown) => unknown): void {
  for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    if (typeof value !== 'function' || writable !== true || name === 'constructor') continue;
    const counted = new Proxy(value as (...args: unknown[]) => unknown, {
      apply(call, self, args) {
        calls += 1;
        const result = Reflect.apply(call, self, args);
        // A function that the addon has made is called like its others.
        return typeof result === 'function' ? countedFunction(result as typeof call, marked) : marked(result);
      },
      construct(create, args, target) {
        calls += 1;
        return marked(Reflect.construct(create, args, target)) as object;
      },
    });
    Object.defineProperty(owner, name, {
      value: counted,
      writable: true,
      configurable: true,
      enumerable: true,
    });
  }
}

function countedFunction(call: (...args: unknown[]) => unknown, marked: (result: unknown) => unknown) {
  return (...args: unknown[]): unknown => {
    calls += 1;
    return marked(call(...args));
  };
}

function countedGetters(prototype: object): PropertyDescriptorMap {
  const getters: PropertyDescriptorMap = {};
  for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (own.get === undefined) continue;
    getters[name] = {
      get(this: object): unknown {
        calls += 1;
        return own.get?.call(this) as unknown;
      },
    };
  }
  return getters;
}
