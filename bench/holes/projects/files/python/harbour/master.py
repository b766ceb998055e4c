from tides import depth_at, next_high_water
from vessel import Cargo, Vessel


class HarbourMaster:
    def __init__(self, berths: int) -> None:
        self.free = list(range(1, berths + 1))
        self.vessels: dict[str, Vessel] = {}

    def may_enter(self, vessel: Vessel, hour: float) -> bool:
        return depth_at(hour) > vessel.draught_metres + 0.5

    def waiting_hours(self, hour: float) -> float:
        return next_high_water(hour) - hour

    def enter(self, vessel: Vessel) -> int:
        berth = self.free.pop(0)
        vessel.moor_at(berth)
        self.vessels[vessel.call_sign] = vessel
        return berth

    def leave(self, call_sign: str) -> None:
        vessel = self.vessels.pop(call_sign)
        if vessel.berth_number is not None:
            self.free.append(vessel.berth_number)
        vessel.cast_off()

    def tankers(self) -> list[Vessel]:
        return [v for v in self.vessels.values() if v.cargo is Cargo.OIL]
