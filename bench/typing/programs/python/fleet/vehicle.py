from enum import Enum


class VehicleState(Enum):
    IDLE = "idle"
    DRIVING = "driving"
    CHARGING = "charging"


class Vehicle:
    def __init__(self, plate, capacity_kg, range_km):
        self.plate = plate
        self.capacity_kg = capacity_kg
        self.range_km = range_km
        self.battery = 1.0
        self.state = VehicleState.IDLE

    def reachable_km(self):
        return self.range_km * self.battery

    def start_trip(self, distance_km):
        self.state = VehicleState.DRIVING
        self.battery -= distance_km / self.range_km

    def start_charging(self):
        self.state = VehicleState.CHARGING

    def finish(self):
        self.state = VehicleState.IDLE
