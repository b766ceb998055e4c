import logging
from datetime import datetime

from appointments import Appointment
from patients import Patient, PatientRegistry

logger = logging.getLogger(__name__)

REMIND_HOURS = 24


def reminder_text(patient: Patient, appointment: Appointment) -> str:
    day = appointment.starts_at.strftime("%A, %d %B")
    time = appointment.starts_at.strftime("%H:%M")
    return f"Dear {patient.name}, you have an appointment with {appointment.doctor} on {day} at {time}."


class ReminderService:
    def __init__(self, registry: PatientRegistry, send):
        self.registry = registry
        self.send = send

    def due(self, appointments: list[Appointment], now: datetime) -> list[Appointment]:
        return [
            appointment
            for appointment in appointments
            if appointment.is_within(REMIND_HOURS, now) and not appointment.reminded
        ]

    def remind(self, appointment: Appointment) -> bool:
        patient = self.registry.find(appointment.patient_id)
        if patient is None or patient.contact() is None:
            logger.warning("Cannot reach patient %s", appointment.patient_id)
            return False
        self.send(patient.contact(), reminder_text(patient, appointment))
        appointment.mark_reminded()
        return True

    def run(self, appointments: list[Appointment], now: datetime | None = None) -> int:
        now = now or datetime.now()
        sent = sum(self.remind(appointment) for appointment in self.due(appointments, now))
        logger.info("Sent %d reminders", sent)
        return sent
