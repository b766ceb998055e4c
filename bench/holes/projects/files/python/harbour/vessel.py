from enum import Enum


class Cargo(Enum):
    GRAIN = "grain"
    OIL = "oil"
    CONTAINERS = "containers"


class Vessel:
    def __init__(self, call_sign: str, draught_metres: float, cargo: Cargo) -> None:
        self.call_sign = call_sign
        self.draught_metres = draught_metres
        self.cargo = cargo
        self.berth_number: int | None = None

    def moor_at(self, berth_number: int) -> None:
        self.berth_number = berth_number

    def cast_off(self) -> None:
        self.berth_number = None
