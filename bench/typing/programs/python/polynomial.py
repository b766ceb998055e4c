from itertools import zip_longest


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = list(coefficients) or [0]
        while len(self.coefficients) > 1 and self.coefficients[-1] == 0:
            self.coefficients.pop()

    @property
    def degree(self):
        return len(self.coefficients) - 1

    def __call__(self, x):
        result = 0
        for coefficient in reversed(self.coefficients):
            result = result * x + coefficient
        return result

    def __eq__(self, other):
        return self.coefficients == other.coefficients

    def __add__(self, other):
        pairs = zip_longest(self.coefficients, other.coefficients, fillvalue=0)
        return Polynomial(*(a + b for a, b in pairs))

    def __mul__(self, other):
        product = [0] * (self.degree + other.degree + 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                product[i + j] += a * b
        return Polynomial(*product)

    def derivative(self):
        return Polynomial(*(power * c for power, c in enumerate(self.coefficients) if power > 0))


def newton_root(polynomial, start, tolerance=1e-9, max_steps=50):
    derivative = polynomial.derivative()
    x = start
    for _ in range(max_steps):
        slope = derivative(x)
        if slope == 0:
            raise ZeroDivisionError(f"The slope is zero at {x}")
        step = polynomial(x) / slope
        x -= step
        if abs(step) < tolerance:
            return x
    raise ArithmeticError("Newton's method did not converge")
