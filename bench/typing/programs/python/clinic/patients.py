from dataclasses import dataclass
from datetime import date


@dataclass
class Patient:
    id: int
    name: str
    birth_date: date
    email: str | None = None
    phone: str | None = None

    def age_on(self, day):
        had_birthday = (day.month, day.day) >= (self.birth_date.month, self.birth_date.day)
        return day.year - self.birth_date.year - (0 if had_birthday else 1)

    def contact(self):
        return self.email or self.phone


class PatientRegistry:
    def __init__(self):
        self._patients = {}

    def register(self, patient):
        self._patients[patient.id] = patient

    def find(self, patient_id):
        return self._patients.get(patient_id)

    def older_than(self, years, day):
        return [patient for patient in self._patients.values() if patient.age_on(day) > years]
