import math

MEAN_DEPTH_METRES = 11.5
TIDAL_RANGE_METRES = 2.4


def depth_at(hour: float) -> float:
    return MEAN_DEPTH_METRES + TIDAL_RANGE_METRES * math.cos(hour * math.tau / 12.4)


def next_high_water(hour: float) -> float:
    return math.ceil(hour / 12.4) * 12.4
