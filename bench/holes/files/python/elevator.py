from enum import Enum, auto


class State(Enum):
    IDLE = auto()
    MOVING_UP = auto()
    MOVING_DOWN = auto()
    DOORS_OPEN = auto()


class Elevator:
    def __init__(self, floors, start=0):
        self.floors = floors
        self.floor = start
        self.state = State.IDLE
        self.requests = set()

    def call(self, floor):
        if not 0 <= floor < self.floors:
            raise ValueError(f"no floor {floor}")
        self.requests.add(floor)

    def step(self):
        """Advance the elevator by one tick."""
        if self.state is State.DOORS_OPEN:
            self.state = State.IDLE
        if self.floor in self.requests:
            self.requests.remove(self.floor)
            self.state = State.DOORS_OPEN
            return
        self.state = self._next_state()
        if self.state is State.MOVING_UP:
            self.floor += 1
        elif self.state is State.MOVING_DOWN:
            self.floor -= 1

    def _next_state(self):
        if not self.requests:
            return State.IDLE
        above = any(floor > self.floor for floor in self.requests)
        below = any(floor < self.floor for floor in self.requests)
        if self.state is State.MOVING_UP and above:
            return State.MOVING_UP
        if self.state is State.MOVING_DOWN and below:
            return State.MOVING_DOWN
        return State.MOVING_UP if above else State.MOVING_DOWN

    def is_idle(self):
        return self.state is State.IDLE and not self.requests

    def run(self, max_steps=1000):
        visited = []
        for _ in range(max_steps):
            if self.is_idle():
                break
            self.step()
            if self.state is State.DOORS_OPEN:
                visited.append(self.floor)
        return visited
