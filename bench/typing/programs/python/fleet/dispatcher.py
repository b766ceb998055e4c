from delivery import Delivery, Stop, route_length
from vehicle import Vehicle, VehicleState

MIN_BATTERY = 0.2


class Dispatcher:
    def __init__(self, depot: Stop, vehicles: list[Vehicle]):
        self.depot = depot
        self.vehicles = vehicles
        self.pending: list[Delivery] = []

    def request(self, delivery: Delivery) -> None:
        self.pending.append(delivery)
        self.pending.sort(key=lambda each: not each.is_express)

    def idle_vehicles(self) -> list[Vehicle]:
        return [vehicle for vehicle in self.vehicles if vehicle.state is VehicleState.IDLE]

    def load(self, vehicle: Vehicle) -> list[Delivery]:
        chosen: list[Delivery] = []
        remaining = vehicle.capacity_kg
        for delivery in self.pending:
            stops = [each.destination for each in chosen] + [delivery.destination]
            if delivery.weight_kg > remaining:
                continue
            if route_length(self.depot, stops) > vehicle.reachable_km():
                continue
            chosen.append(delivery)
            remaining -= delivery.weight_kg
        return chosen

    def dispatch(self) -> dict[str, list[str]]:
        plan = {}
        for vehicle in self.idle_vehicles():
            if vehicle.battery < MIN_BATTERY:
                vehicle.start_charging()
                continue
            deliveries = self.load(vehicle)
            if not deliveries:
                continue
            stops = [delivery.destination for delivery in deliveries]
            vehicle.start_trip(route_length(self.depot, stops))
            self.pending = [each for each in self.pending if each not in deliveries]
            plan[vehicle.plate] = [delivery.id for delivery in deliveries]
        return plan
