const OVERTIME_FACTOR = 1.5;

export function overtimeHours(employee) {
  return Math.max(0, employee.hoursWorked() - employee.hoursPerWeek);
}

export function grossPay(employee) {
  const overtime = overtimeHours(employee);
  const regular = employee.hoursWorked() - overtime;
  return regular * employee.hourlyRate + overtime * employee.hourlyRate * OVERTIME_FACTOR;
}

export function netPay(employee, { taxRate, deductions = [] }) {
  const gross = grossPay(employee);
  const deducted = deductions.reduce((sum, { amount }) => sum + amount, 0);
  return gross * (1 - taxRate) - deducted;
}
