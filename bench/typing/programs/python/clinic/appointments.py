from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass
class Appointment:
    patient_id: int
    doctor: str
    starts_at: datetime
    minutes: int = 20
    reminded: bool = False

    @property
    def ends_at(self):
        return self.starts_at + timedelta(minutes=self.minutes)

    def is_within(self, hours, now):
        return now <= self.starts_at <= now + timedelta(hours=hours)

    def mark_reminded(self):
        self.reminded = True
