// The syntax of Jinja templates, read with the parser of @huggingface/jinja, and what that parser does not know: raw blocks, and tests with
// arguments. What remains is refused by name: chains of comparisons, `with`, `recursive`, and `+` in a tag.
import { parse, tokenize } from '@huggingface/jinja';

export interface Name {
  readonly type: 'Identifier';
  readonly value: string;
}
export interface Call {
  readonly type: 'CallExpression';
  readonly callee: Expression;
  readonly args: readonly Expression[];
}
export interface Keyword {
  readonly type: 'KeywordArgumentExpression';
  readonly key: Name;
  readonly value: Expression;
}
interface Operator {
  readonly value: string;
}
export type Body = readonly Node[];

/** The nodes of the parser, which has no types for them in what it exports. */
export type Expression =
  | Name
  | Call
  | Keyword
  | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
  | { readonly type: 'StringLiteral'; readonly value: string }
  | { readonly type: 'ArrayLiteral' | 'TupleLiteral'; readonly value: readonly Expression[] }
  | { readonly type: 'ObjectLiteral'; readonly value: ReadonlyMap<Expression, Expression> }
  | {
      readonly type: 'MemberExpression';
      readonly object: Expression;
      readonly property: Expression;
      readonly computed: boolean;
    }
  | {
      readonly type: 'SliceExpression';
      readonly start?: Expression;
      readonly stop?: Expression;
      readonly step?: Expression;
    }
  | {
      readonly type: 'BinaryExpression';
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly type: 'UnaryExpression'; readonly operator: Operator; readonly argument: Expression }
  | { readonly type: 'FilterExpression'; readonly operand: Expression; readonly filter: Name | Call }
  | {
      readonly type: 'TestExpression';
      readonly operand: Expression;
      readonly negate: boolean;
      readonly test: Name;
    }
  | { readonly type: 'SelectExpression'; readonly lhs: Expression; readonly test: Expression }
  | {
      readonly type: 'Ternary';
      readonly condition: Expression;
      readonly trueExpr: Expression;
      readonly falseExpr: Expression;
    }
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Expression };
export interface For {
  readonly type: 'For';
  readonly loopvar: Expression;
  readonly iterable: Expression;
  readonly body: Body;
  readonly defaultBlock: Body;
}
interface Macro {
  readonly type: 'Macro';
  readonly name: Name;
  readonly args: readonly (Name | Keyword)[];
  readonly body: Body;
}
interface SetNode {
  readonly type: 'Set';
  readonly assignee: Expression;
  readonly value: Expression | null;
  readonly body: Body;
}
export interface CallBlock {
  readonly type: 'CallStatement';
  readonly call: Call;
  readonly callerArgs: readonly (Name | Keyword)[] | null;
  readonly body: Body;
}
export type Node = Expression | Statement;
type Statement =
  | For
  | Macro
  | SetNode
  | CallBlock
  | { readonly type: 'If'; readonly test: Expression; readonly body: Body; readonly alternate: Body }
  | { readonly type: 'FilterStatement'; readonly filter: Name | Call; readonly body: Body }
  | { readonly type: 'Break' | 'Continue' | 'Comment' };

const STATEMENTS = [
  'For',
  'Macro',
  'Set',
  'CallStatement',
  'If',
  'FilterStatement',
  'Break',
  'Continue',
  'Comment',
];

export function isStatement(node: Node): node is Statement {
  return STATEMENTS.includes(node.type);
}

type Token = ReturnType<typeof tokenize>[number];

/** A test with an argument is written like a filter of this name. */
export const TEST_PREFIX = 'is ';
const TESTS_WITH_ARGUMENT = /^(in|sameas|divisibleby|eq|equalto|ne|lt|lessthan|le|gt|greaterthan|ge)$/;

/** Throws for a template that cannot be read. */
export function parseTemplate(source: string): Body {
  const tokens = tokenize(withoutRaw(source.replace(/\r\n?/g, '\n')), {
    lstrip_blocks: true,
    trim_blocks: true,
  });
  refuseChains(tokens);
  return (parse(testArguments(tokens)) as unknown as { readonly body: Body }).body;
}

/** The text of a raw block becomes an expression with that text. */
function withoutRaw(source: string): string {
  return source.replace(
    /\{%(-?)\s*raw\s*(-?)%\}([^]*?)\{%(-?)\s*endraw\s*(-?)%\}/g,
    (_, before: string, start: string, text: string, end: string, after: string) => {
      const inner = start ? text.trimStart() : text.replace(/^\n/, '');
      return `{{${before} ${JSON.stringify(end ? inner.trimEnd() : inner)} ${after}}}`;
    },
  );
}

/** `a < b < c`, which the parser takes for `(a < b) < c` without saying so. */
function refuseChains(tokens: readonly Token[]): void {
  const isCompared = [false];
  for (const { type, value } of tokens) {
    const here = isCompared.length - 1;
    const isComparison = type === 'ComparisonBinaryOperator';
    if (type.startsWith('Open')) isCompared.push(false);
    else if (type.startsWith('Close')) isCompared.pop();
    else if (isComparison && isCompared[here]) throw new SyntaxError('a chain of comparisons');
    else if (isComparison) isCompared[here] = true;
    else if (type === 'Comma' || type === 'Equals' || type === 'Colon') isCompared[here] = false;
    else if (type === 'Identifier' && /^(and|or|not|if|else|is)$/.test(value)) isCompared[here] = false;
  }
}

/** `x is divisibleby 2` and `x is in [1, 2]` become filters, `x | 'is divisibleby'(2)`, which the parser knows. */
function testArguments(tokens: readonly Token[]): Token[] {
  const result = [...tokens];
  for (let i = 0; i < result.length; i++) {
    const isNot = isName(result[i + 1], 'not');
    const at = i + (isNot ? 2 : 1);
    const name = result[at];
    if (!isName(result[i], 'is') || name === undefined || !TESTS_WITH_ARGUMENT.test(name.value)) continue;
    const [from, end] = [at + 1, argumentEnd(result, at + 1)];
    const argument = result.slice(from, end);
    const isCall = argument[0]?.type === 'OpenParen' && argument.length > 1;
    result.splice(
      i,
      end - i,
      { value: '|', type: 'Pipe' },
      { value: TEST_PREFIX + (isNot ? 'not ' : '') + name.value, type: 'Identifier' },
      ...(isCall
        ? argument
        : [
            { value: '(', type: 'OpenParen' } as const,
            ...argument,
            { value: ')', type: 'CloseParen' } as const,
          ]),
    );
  }
  return result;
}

function isName(token: Token | undefined, value: string): boolean {
  return token?.type === 'Identifier' && token.value === value;
}

/** Of a value that begins at a token: one token, or what is in brackets, and what is read from it. */
function argumentEnd(tokens: readonly Token[], from: number): number {
  let [end, depth] = [from, 0];
  do {
    const type = tokens[end]?.type ?? 'CloseStatement';
    if (/^Open(Paren|SquareBracket|CurlyBracket)$/.test(type)) depth += 1;
    if (/^Close(Paren|SquareBracket|CurlyBracket)$/.test(type)) depth -= 1;
    end += 1;
  } while (depth > 0 && end < tokens.length);
  const next = tokens[end]?.type;
  return next === 'Dot' || next === 'OpenSquareBracket'
    ? argumentEnd(tokens, next === 'Dot' ? end + 1 : end)
    : end;
}

/** All names but those of fields. */
export function namesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node) || node instanceof Map) return [...(node as Iterable<unknown>)].flatMap(namesIn);
  if ('type' in node && node.type === 'Identifier') return [(node as Name).value];
  const isField = 'computed' in node && node.computed === false;
  return Object.entries(node).flatMap(([key, value]) =>
    isField && key === 'property' ? [] : namesIn(value),
  );
}
