// Renders Jinja templates as Python's Jinja2 does with the options of transformers. The parser is that of
// @huggingface/jinja. Its interpreter is not used, because its values print and compare as in JavaScript:
// test/models/text/jinjaLibrary.test.ts shows published templates that it renders differently. Of 142 small
// expressions, the library's interpreter treated 63 as Python does, minijinja-js 2.11 86, and this one, which has
// improved since, 137. Of 3,068 conversations with 59 published templates, the library's rendered 2,906, and this one
// all.
import { filterOf, isIn, itemAt, TESTS } from './jinjaBuiltins';
import { FUNCTIONS } from './jinjaFunctions';
import { methodOf } from './jinjaMethods';
import { arithmetic, sliced, unary } from './jinjaOperators';
import {
  namesIn,
  parseTemplate,
  type Body,
  type Call,
  type CallBlock,
  type Expression,
  type For,
  type Keyword,
  type Name,
  type Node,
} from './jinjaSyntax';
import {
  Arguments,
  bounded,
  escaped,
  float,
  isDict,
  isEqual,
  isTrue,
  itemsOf,
  Namespace,
  numberOf,
  printed,
  tuple,
  typeName,
  valueOf,
  type Callable,
  type List,
  type Value,
} from './jinjaValues';

export interface Render {
  (variables: Readonly<Record<string, unknown>>): string;
  /** All names in the template, except members of values: variables, and also filters, tests and named arguments. */
  readonly names: ReadonlySet<string>;
}

const CONSTANTS = new Map<string, Value>([
  ...['true', 'True'].map((name): [string, Value] => [name, true]),
  ...['false', 'False'].map((name): [string, Value] => [name, false]),
  ...['none', 'None'].map((name): [string, Value] => [name, null]),
  ...Object.entries(FUNCTIONS),
]);

/** Maximum number of characters that all blocks of a template can write, macros included. */
const MAX_WRITTEN = 64e6;

/** The variables in a block of a template; inner ones hide outer ones. */
class Scope {
  constructor(
    private readonly outer: Scope | undefined,
    private readonly names: Map<string, Value> = new Map(),
  ) {}

  get(name: string): Value {
    return this.names.has(name) ? this.names.get(name) : this.outer?.get(name);
  }

  set(name: string, value: Value): void {
    this.names.set(name, value);
  }
}

/** Thrown to end an iteration of a loop (`continue`) or the loop (`break`). */
class LoopEnd extends Error {
  constructor(readonly type: 'Break' | 'Continue') {
    super(`'${type.toLowerCase()}' outside loop`);
  }
}

/** Runs the nodes of a template. The messages of its errors complete "Expected a chat template that works, got ...". */
class Renderer {
  /** Texts that the current block has written. */
  #written: string[] = [];
  /** Number of characters that all blocks have written. */
  #length = 0;

  /** Returns the text that a block writes. */
  text(body: Body, scope: Scope): string {
    const before = this.#written;
    const written = (this.#written = [] as string[]);
    try {
      this.#run(body, scope);
    } finally {
      this.#written = before;
    }
    return written.join('');
  }

  #write(text: string): void {
    this.#length += text.length;
    bounded(text);
    if (this.#length > MAX_WRITTEN) throw new Error(`${String(this.#length)} characters`);
    this.#written.push(text);
  }

  #run(body: Body, scope: Scope): void {
    for (const node of body) this.#step(node, scope);
  }

  #step(node: Node, scope: Scope): void {
    // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- every other node is an expression
    switch (node.type) {
      case 'Comment':
        return;
      case 'If':
        return this.#run(isTrue(this.#value(node.test, scope)) ? node.body : node.alternate, scope);
      case 'For':
        return this.#loop(node, scope);
      case 'Set':
        return this.#assign(
          node.assignee,
          node.value ? this.#value(node.value, scope) : this.text(node.body, new Scope(scope)),
          scope,
        );
      case 'Macro':
        return scope.set(node.name.value, this.#macro(node.args, node.body, scope));
      case 'CallStatement':
        return this.#write(printed(this.#callBlock(node, scope)));
      case 'FilterStatement':
        return this.#write(printed(this.#filter(node.filter, this.text(node.body, new Scope(scope)), scope)));
      case 'Break':
      case 'Continue':
        throw new LoopEnd(node.type);
      default:
        return this.#write(printed(this.#value(node, scope)));
    }
  }

  #assign(target: Expression, value: Value, scope: Scope): void {
    if (target.type === 'Identifier') return scope.set(target.value, value);
    if (target.type === 'TupleLiteral') {
      const items = itemsOf(value);
      if (items.length !== target.value.length)
        throw new Error(`${String(items.length)} values to unpack into ${String(target.value.length)}`);
      return target.value.forEach((name, i) => this.#assign(name, items[i], scope));
    }
    if (target.type === 'FilterExpression' && typeof value === 'string') {
      const { name, filters } = filteredName(target);
      const apply = (filtered: Value, filter: Name | Call): Value => this.#filter(filter, filtered, scope);
      return this.#assign(name, filters.reduce(apply, value), scope);
    }
    const object = target.type === 'MemberExpression' ? this.#value(target.object, scope) : undefined;
    if (
      target.type !== 'MemberExpression' ||
      target.property.type !== 'Identifier' ||
      !(object instanceof Namespace)
    )
      throw new Error('cannot assign attribute on non-namespace object');
    object.fields.set(target.property.value, value);
  }

  #loop({ loopvar, iterable, body, defaultBlock }: For, outer: Scope): void {
    const select = iterable.type === 'SelectExpression' ? iterable : undefined;
    const scopeWith = (item: Value): Scope => {
      const scope = new Scope(outer);
      this.#assign(loopvar, item, scope);
      return scope;
    };
    const all = itemsOf(this.#value(select?.lhs ?? iterable, outer));
    const items = select ? all.filter((item) => isTrue(this.#value(select.test, scopeWith(item)))) : all;
    if (items.length === 0) return this.#run(defaultBlock, new Scope(outer));
    const state = loopState(items);
    for (const [i, item] of items.entries()) {
      const scope = scopeWith(item);
      scope.set('loop', state(i));
      try {
        this.#run(body, scope);
      } catch (end) {
        if (!(end instanceof LoopEnd)) throw end;
        if (end.type === 'Break') return;
      }
    }
  }

  #macro(parameters: readonly (Name | Keyword)[], body: Body, outer: Scope): Callable {
    const names = parameters.map((parameter) =>
      parameter.type === 'Identifier' ? parameter.value : parameter.key.value,
    );
    return ({ list: args, named }) => {
      const scope = new Scope(outer);
      const extra = new Map([...named].filter(([name]) => !names.includes(name)));
      scope.set('varargs', tuple(args.slice(names.length)));
      scope.set('kwargs', new Map<Value, Value>([...extra].filter(([name]) => name !== 'caller')));
      scope.set('caller', extra.get('caller'));
      for (const [i, parameter] of parameters.entries()) {
        const name = names[i] ?? '';
        const given = i < args.length ? args[i] : named.get(name);
        const isGiven = i < args.length || named.has(name);
        scope.set(
          name,
          isGiven || parameter.type === 'Identifier' ? given : this.#value(parameter.value, scope),
        );
      }
      return this.text(body, scope);
    };
  }

  #callBlock({ call, callerArgs, body }: CallBlock, scope: Scope): Value {
    const { list, named } = this.#arguments(call.args, scope);
    const withCaller = new Map([...named, ['caller', this.#macro(callerArgs ?? [], body, scope)]]);
    return callableOf(this.#value(call.callee, scope))(new Arguments(list, withCaller));
  }

  #arguments(args: readonly Expression[], scope: Scope): Arguments {
    const list: Value[] = [];
    const named = new Map<string, Value>();
    for (const arg of args) {
      if (arg.type === 'KeywordArgumentExpression') named.set(arg.key.value, this.#value(arg.value, scope));
      else if (arg.type === 'SpreadExpression') list.push(...itemsOf(this.#value(arg.argument, scope)));
      else if (arg.type === 'KeywordSpreadExpression') {
        const spread = this.#value(arg.argument, scope);
        if (isDict(spread)) for (const [key, value] of spread) named.set(printed(key), value);
      } else list.push(this.#value(arg, scope));
    }
    return new Arguments(list, named);
  }

  #filter(filter: Name | Call, value: Value, scope: Scope): Value {
    if (filter.type === 'Identifier') return filterOf(filter.value)(value, new Arguments());
    if (filter.callee.type !== 'Identifier') throw new Error('a filter without a name');
    return filterOf(filter.callee.value)(value, this.#arguments(filter.args, scope));
  }

  #value(node: Expression, scope: Scope): Value {
    switch (node.type) {
      case 'IntegerLiteral':
      case 'StringLiteral':
        return node.value;
      case 'FloatLiteral':
        return float(node.value);
      case 'ArrayLiteral':
        return node.value.map((item) => this.#value(item, scope));
      case 'TupleLiteral':
        return tuple(node.value.map((item) => this.#value(item, scope)));
      case 'ObjectLiteral':
        return new Map(
          [...node.value].map(([key, value]) => [this.#value(key, scope), this.#value(value, scope)]),
        );
      case 'Identifier':
        return scope.get(node.value);
      case 'MemberExpression':
        return this.#member(node.object, node.property, node.computed, scope);
      case 'CallExpression':
        return callableOf(this.#value(node.callee, scope))(this.#arguments(node.args, scope));
      case 'FilterExpression':
        return this.#filter(node.filter, this.#value(node.operand, scope), scope);
      case 'TestExpression': {
        const test = TESTS[node.test.value];
        if (test === undefined) throw new Error(`no test named '${node.test.value}'`);
        return test(this.#value(node.operand, scope), undefined) !== node.negate;
      }
      case 'SelectExpression':
        return isTrue(this.#value(node.test, scope)) ? this.#value(node.lhs, scope) : undefined;
      case 'Ternary':
        return this.#value(
          isTrue(this.#value(node.condition, scope)) ? node.trueExpr : node.falseExpr,
          scope,
        );
      case 'UnaryExpression':
        return unary(node.operator.value, this.#value(node.argument, scope));
      case 'BinaryExpression':
        return this.#binary(node.operator.value, node.left, node.right, scope);
      case 'KeywordArgumentExpression':
      case 'KeywordSpreadExpression':
      case 'SliceExpression':
      case 'SpreadExpression':
        throw new Error(`${node.type} in this place`);
    }
  }

  #member(object: Expression, property: Expression, isComputed: boolean, scope: Scope): Value {
    const value = this.#value(object, scope);
    if (value === undefined)
      throw new Error(`'${object.type === 'Identifier' ? object.value : 'a value'}' is undefined`);
    if (property.type === 'SliceExpression') {
      const [start, stop, step] = [property.start, property.stop, property.step].map((bound) =>
        bound === undefined ? undefined : numberOf(this.#value(bound, scope)),
      );
      return sliced(value, start, stop, step ?? 1);
    }
    if (isComputed) return itemAt(value, this.#value(property, scope));
    const name = property.type === 'Identifier' || property.type === 'IntegerLiteral' ? property.value : '';
    return typeof name === 'string' ? (methodOf(value, name) ?? itemAt(value, name)) : itemAt(value, name);
  }

  #binary(operator: string, left: Expression, right: Expression, scope: Scope): Value {
    const a = this.#value(left, scope);
    // `and` and `or` evaluate their right operand only if it decides.
    if (operator === 'and') return isTrue(a) ? this.#value(right, scope) : a;
    if (operator === 'or') return isTrue(a) ? a : this.#value(right, scope);
    const b = this.#value(right, scope);
    if (operator === 'in') return isIn(a, b);
    if (operator === 'not in') return !isIn(a, b);
    if (operator === '+' && isMarkup(left) !== isMarkup(right))
      return arithmetic(operator, isMarkup(left) ? a : escaped(a), isMarkup(right) ? b : escaped(b));
    return TESTS[operator]?.(a, b) ?? arithmetic(operator, a, b);
  }
}

/**
 * Parses a template and returns its render function. Throws an Error for a template that cannot be parsed; the render
 * function throws one for a template that fails, and TemplateRefusal for one that refuses its input.
 */
export function readTemplate(source: string): Render {
  const body = parseTemplate(source);
  const render = (variables: Readonly<Record<string, unknown>>): string => {
    const given = Object.entries(variables).map(([name, value]): [string, Value] => [name, valueOf(value)]);
    const scope = new Scope(new Scope(undefined, CONSTANTS), new Map(given));
    return new Renderer().text(body, scope);
  };
  return Object.assign(render, { names: new Set(namesIn(body)) });
}

/** Returns whether an expression makes a Markup string, which escapes text that is added to it. */
function isMarkup(node: Expression): boolean {
  if (node.type === 'BinaryExpression')
    return node.operator.value === '+' && (isMarkup(node.left) || isMarkup(node.right));
  const { filter } = node.type === 'FilterExpression' ? node : {};
  return filter?.type === 'Identifier' && ['safe', 'escape', 'e'].includes(filter.value);
}

function callableOf(value: Value): Callable {
  if (typeof value === 'function') return value;
  throw new Error(`'${typeName(value)}' object is not callable`);
}

/** Returns the name that a block is assigned to, and the filters after it, in their order. */
function filteredName(target: Expression): { name: Expression; filters: (Name | Call)[] } {
  if (target.type !== 'FilterExpression') return { name: target, filters: [] };
  const { name, filters } = filteredName(target.operand);
  return { name, filters: [...filters, target.filter] };
}

/**
 * Returns the function that updates the `loop` object; all iterations share one object, as in Jinja2. Only recursive
 * loops, which the parser does not support, have another depth than 1.
 */
function loopState(items: List): (i: number) => Namespace {
  const { length } = items;
  let index = 0;
  let lastValues: List | undefined;
  const changed: Callable = ({ list: values }) => {
    const before = lastValues;
    lastValues = values;
    return before === undefined || !isEqual(before, values);
  };
  const fields = new Map<string, Value>([
    ...Object.entries({ length, depth: 1, depth0: 0, changed }),
    ['cycle', ({ list }) => list[index % list.length]],
  ]);
  const loop = new Namespace(fields);
  return (i) => {
    index = i;
    fields.set('index', i + 1).set('index0', i);
    fields.set('revindex', length - i).set('revindex0', length - i - 1);
    fields.set('first', i === 0).set('last', i === length - 1);
    fields.set('previtem', items[i - 1]).set('nextitem', items[i + 1]);
    return loop;
  };
}
