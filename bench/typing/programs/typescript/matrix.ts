export type Matrix = number[][];

export function identity(size: number): Matrix {
  return Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) => (row === column ? 1 : 0)),
  );
}

export function transpose(matrix: Matrix): Matrix {
  return matrix[0].map((_, column) => matrix.map((row) => row[column]));
}

export function multiply(left: Matrix, right: Matrix): Matrix {
  if (left[0].length !== right.length) {
    throw new RangeError(`Cannot multiply ${left[0].length} columns by ${right.length} rows`);
  }
  const columns = transpose(right);
  return left.map((row) => columns.map((column) => dot(row, column)));
}

function dot(a: number[], b: number[]): number {
  return a.reduce((sum, value, index) => sum + value * b[index], 0);
}

export function determinant(matrix: Matrix): number {
  const rows = matrix.map((row) => [...row]);
  let result = 1;
  for (let pivot = 0; pivot < rows.length; pivot++) {
    const best = rows.findIndex((row, index) => index >= pivot && row[pivot] !== 0);
    if (best < 0) return 0;
    if (best !== pivot) {
      [rows[pivot], rows[best]] = [rows[best], rows[pivot]];
      result = -result;
    }
    result *= rows[pivot][pivot];
    for (let below = pivot + 1; below < rows.length; below++) {
      const factor = rows[below][pivot] / rows[pivot][pivot];
      rows[below] = rows[below].map((value, column) => value - factor * rows[pivot][column]);
    }
  }
  return result;
}

export function power(matrix: Matrix, exponent: number): Matrix {
  if (exponent === 0) return identity(matrix.length);
  const half = power(matrix, Math.floor(exponent / 2));
  const square = multiply(half, half);
  return exponent % 2 === 0 ? square : multiply(square, matrix);
}
