"""A small dense matrix class."""


class Matrix:
    def __init__(self, rows, cols, values=None):
        self.rows = rows
        self.cols = cols
        self.values = values or [0.0] * (rows * cols)
        if len(self.values) != rows * cols:
            raise ValueError("wrong number of values")

    def __getitem__(self, index):
        row, col = index
        return self.values[row * self.cols + col]

    def __setitem__(self, index, value):
        row, col = index
        self.values[row * self.cols + col] = value

    def __add__(self, other):
        if self.rows != other.rows or self.cols != other.cols:
            raise ValueError("shapes do not match")
        return Matrix(self.rows, self.cols, [a + b for a, b in zip(self.values, other.values)])

    def __sub__(self, other):
        if self.rows != other.rows or self.cols != other.cols:
            raise ValueError("shapes do not match")
        return Matrix(self.rows, self.cols, [a - b for a, b in zip(self.values, other.values)])

    def __matmul__(self, other):
        if self.cols != other.rows:
            raise ValueError("shapes do not match")
        result = Matrix(self.rows, other.cols)
        for i in range(self.rows):
            for j in range(other.cols):
                result[i, j] = sum(self[i, k] * other[k, j] for k in range(self.cols))
        return result

    def transpose(self):
        result = Matrix(self.cols, self.rows)
        for i in range(self.rows):
            for j
        return result
