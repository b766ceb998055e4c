from datetime import date, datetime, time, timedelta

WORK_START = time(9, 0)
WORK_END = time(17, 0)
SATURDAY = 5


def is_workday(day, holidays=frozenset()):
    return day.weekday() < SATURDAY and day not in holidays


def next_workday(day, holidays=frozenset()):
    day += timedelta(days=1)
    while not is_workday(day, holidays):
        day += timedelta(days=1)
    return day


def previous_workday(day, holidays=frozenset()):
    day -= timedelta(days=1)
    while not is_workday(day, holidays):
        day -= timedelta(days=1)
    return day


def workdays_between(start, end, holidays=frozenset()):
    count = 0
    day = start
    while day < end:
        if is_workday(day, holidays):
            count += 1
        day += timedelta(days=1)
    return count


def first_of_month(day):
    return day.replace(day=1)


def last_of_month(day):
    next_month = first_of_month(day) + timedelta(days=32)
    return first_of_month(next_month) - timedelta(days=1)


class Meeting:
    def __init__(self, title, start, minutes):
        self.title = title
        self.start = start
        self.end = start + timedelta(minutes=minutes)

    @property
    def duration(self):
        return self.end - self.start

    def conflicts_with(self, other):
        return self.start < other.end and other.start < self.end

    def is_in_work_hours(self):
        return WORK_START <= self.start.time() and self.end.time() <= WORK_END

    def move(self, delta):
        self.start += delta
        self.end += delta


def free_slots(meetings, day, minutes=30):
    length = timedelta(minutes=minutes)
    start = datetime.combine(day, WORK_START)
    end = datetime.combine(day, WORK_END)
    for meeting in sorted(meetings, key=lambda m: m.start):
        if meeting.start - start >= length:
            yield start, meeting.start
        start = max(start, meeting.end)
    if end - start >= length:
        yield start, end


def parse_day(text):
    return date.fromisoformat(text.strip())
