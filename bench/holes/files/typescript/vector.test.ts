import { describe, expect, it } from 'vitest';
import { add, cross, dot, length, normalize, scale, subtract, type Vector } from './vector';

const X: Vector = { x: 1, y: 0, z: 0 };
const Y: Vector = { x: 0, y: 1, z: 0 };
const Z: Vector = { x: 0, y: 0, z: 1 };

describe('add', () => {
  it('adds each component', () => {
    const sum = add({ x: 1, y: 2, z: 3 }, { x: 4, y: 5, z: 6 });
    expect(sum).toEqual({ x: 5, y: 7, z: 9 });
  });

  it('does not depend on the order', () => {
    expect(add(X, Y)).toEqual(add(Y, X));
  });
});

describe('subtract', () => {
  it('subtracts each component', () => {
    const difference = subtract({ x: 4, y: 5, z: 6 }, { x: 1, y: 2, z: 3 });
    expect(difference).toEqual({ x: 3, y: 3, z: 3 });
  });

  it('takes back what was added', () => {
    expect(subtract(add(X, Z), Z)).toEqual(X);
  });
});

describe('scale', () => {
  it('multiplies each component', () => {
    expect(scale({ x: 1, y: -2, z: 3 }, 2)).toEqual({ x: 2, y: -4, z: 6 });
  });
});

describe('dot', () => {
  it('is zero for perpendicular vectors', () => {
    expect(dot(X, Y)).toBe(0);
    expect(dot(Y, Z)).toBe(0);
    expect(dot(X, Z)).toBe(0);
  });
});

describe('cross', () => {
  it('gives the third axis', () => {
    expect(cross(X, Y)).toEqual(Z);
    expect(cross(Y, Z)).toEqual(X);
    expect(cross(Z, X)).toEqual(Y);
  });
});

describe('normalize', () => {
  it('gives a vector of length one', () => {
    expect(length(normalize({ x: 3, y: 4, z: 0 }))).toBeCloseTo(1);
  });

  it('refuses the zero vector', () => {
    expect(() => normalize({ x: 0, y: 0, z: 0 })).toThrow(RangeError);
  });
});
