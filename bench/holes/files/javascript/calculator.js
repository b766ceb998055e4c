const OPERATORS = {
  '+': { precedence: 1, apply: (a, b) => a + b },
  '-': { precedence: 1, apply: (a, b) => a - b },
  '*': { precedence: 2, apply: (a, b) => a * b },
  '/': { precedence: 2, apply: (a, b) => a / b },
};

export function tokenize(source) {
  const tokens = [];
  let position = 0;
  while (position < source.length) {
    const char = source[position];
    if (/\s/.test(char)) {
      position++;
    } else if (/[0-9.]/.test(char)) {
      let end = position;
      while (end < source.length && /[0-9.]/.test(source[end])) end++;
      tokens.push({ type: 'number', value: Number(source.slice(position, end)) });
      position = end;
    } else if (char in OPERATORS) {
      tokens.push({ type: 'operator', value: char });
      position++;
    } else if (char === '(' || char === ')') {
      tokens.push({ type: 'paren', value: char });
      position++;
    } else {
      throw new SyntaxError(`Unexpected "${char}" at ${position}`);
    }
  }
  return tokens;
}

export function toPostfix(tokens) {
  const output = [];
  const stack = [];
  for (const token of tokens) {
    if (token.type === 'number') {
      output.push(token);
    } else if (token.type === 'operator') {
      const { precedence } = OPERATORS[token.value];
      while (stack.length > 0 && OPERATORS[stack.at(-1).value]?.precedence >= precedence) {
        output.push(stack.pop());
      }
      stack.push(token);
    } else if (token.value === '(') {
      stack.push(token);
    } else {
      while (stack.at(-1).value !== '(') output.push(stack.pop());
      stack.pop();
    }
  }
  return [...output, ...stack.reverse()];
}

export function evaluate(source) {
  const values = [];
  for (const token of toPostfix(tokenize(source))) {
    if (token.type === 'number') {
      values.push(token.value);
    } else {
      const right = values.pop();
      const left = values.pop();
      values.push(OPERATORS[token.value].apply(left, right));
    }
  }
  return values[0];
}
