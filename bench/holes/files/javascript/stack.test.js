const assert = require('node:assert/strict');
const { beforeEach, describe, it } = require('node:test');
const { Stack } = require('./stack');

describe('Stack', () => {
  let stack;

  beforeEach(() => {
    stack = new Stack();
  });

  it('is empty at first', () => {
    assert.equal(stack.size, 0);
    assert.equal(stack.isEmpty(), true);
  });

  it('pushes a value', () => {
    stack.push('a');
    assert.equal(stack.size, 1);
    assert.equal(stack.isEmpty(), false);
  });

  it('pops values in reverse order', () => {
    stack.push('a');
    stack.push('b');
    stack.push('c');
    assert.equal(stack.pop(), 'c');
    assert.equal(stack.pop(), 'b');
    assert.equal(stack.pop(), 'a');
  });

  it('peeks without removing', () => {
    stack.push(1);
    stack.push(2);
    assert.equal(stack.peek(), 2);
    assert.equal(stack.size, 2);
  });

  it('throws when an empty stack is popped', () => {
    assert.throws(() => stack.pop(), RangeError);
  });

  it('throws when an empty stack is peeked', () => {
    assert.throws(() => stack.peek(), RangeError);
  });

  it('clears all values', () => {
    stack.push(1);
    stack.push(2);
    stack.clear();
    assert.equal(stack.size, 0);
  });

  it('iterates from the top', () => {
    for (const value of [1, 2, 3]) stack.push(value);
    assert.deepEqual([...stack], [3, 2, 1]);
  });

  it('copies an array', () => {
    const source = ['x', 'y'];
    const copy = Stack.from(source);
    source.push('z');
    assert.equal(copy.size, 2);
  });
});
