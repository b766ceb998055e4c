ABSOLUTE_ZERO_CELSIUS = -273.15


class Temperature:
    """A temperature that can be read in several units."""

    def __init__(self, celsius):
        self.celsius = celsius

    @classmethod
    def from_fahrenheit(cls, fahrenheit):
        return cls((fahrenheit - 32) * 5 / 9)

    @classmethod
    def from_kelvin(cls, kelvin):
        return cls(kelvin + ABSOLUTE_ZERO_CELSIUS)

    @property
    def celsius(self):
        return self._celsius

    @celsius.setter
    def celsius(self, value):
        if value < ABSOLUTE_ZERO_CELSIUS:
            raise ValueError("below absolute zero")
        self._celsius = value

    @property
    def fahrenheit(self):
        return self._celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self.celsius = (value - 32) * 5 / 9

    @property
    def kelvin(self):
        return self._celsius - ABSOLUTE_ZERO_CELSIUS

    @kelvin.setter
    def kelvin(self, value):
        self.celsius = value + ABSOLUTE_ZERO_CELSIUS

    def __eq__(self, other):
        if not isinstance(other, Temperature):
            return NotImplemented
        return self._celsius == other._celsius

    def __lt__(self, other):
        if not isinstance(other, Temperature):
            return NotImplemented
        return self._celsius < other._celsius

    def __hash__(self):
        return hash(self._celsius)

    def __add__(self, degrees):
        return Temperature(self._celsius + degrees)

    def __sub__(self, degrees):
        return Temperature(self._celsius - degrees)

    def __repr__(self):
        return f"Temperature({self._celsius})"
