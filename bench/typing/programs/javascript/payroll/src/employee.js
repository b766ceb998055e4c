export class Employee {
  constructor({ name, hourlyRate, hoursPerWeek = 40 }) {
    this.name = name;
    this.hourlyRate = hourlyRate;
    this.hoursPerWeek = hoursPerWeek;
    this.timesheet = [];
  }

  logHours(date, hours) {
    if (hours <= 0 || hours > 24) throw new RangeError('Hours must be between 0 and 24');
    this.timesheet.push({ date, hours });
  }

  hoursWorked() {
    return this.timesheet.reduce((sum, { hours }) => sum + hours, 0);
  }
}
