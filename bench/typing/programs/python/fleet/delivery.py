from dataclasses import dataclass
from math import hypot


@dataclass(frozen=True)
class Stop:
    name: str
    x: float
    y: float

    def distance_to(self, other):
        return hypot(self.x - other.x, self.y - other.y)


@dataclass
class Delivery:
    id: str
    destination: Stop
    weight_kg: float
    is_express: bool = False


def route_length(depot, stops):
    places = [depot, *stops, depot]
    return sum(a.distance_to(b) for a, b in zip(places, places[1:]))
