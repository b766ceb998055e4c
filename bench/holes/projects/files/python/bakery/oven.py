MAX_CELSIUS = 280


class Oven:
    def __init__(self, trays: int) -> None:
        self.trays = trays
        self.celsius = 20

    def preheat(self, celsius: int) -> None:
        if celsius > MAX_CELSIUS:
            raise ValueError("too hot")
        self.celsius = celsius

    def minutes_for(self, grams: int) -> int:
        return 15 + grams // 100

    def switch_off(self) -> None:
        self.celsius = 20
