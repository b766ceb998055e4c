import { beforeEach, describe, expect, it } from 'vitest';
import { Employee } from './employee.js';
import { grossPay, netPay, overtimeHours } from './paycheck.js';

describe('paycheck', () => {
  let employee;

  beforeEach(() => {
    employee = new Employee({ name: 'Maria Lopez', hourlyRate: 20 });
    for (const day of [4, 5, 6, 7, 8]) {
      employee.logHours(new Date(2024, 2, day), 8);
    }
  });

  it('pays the hourly rate for a regular week', () => {
    expect(employee.hoursWorked()).toBe(40);
    expect(overtimeHours(employee)).toBe(0);
    expect(grossPay(employee)).toBe(800);
  });

  it('pays overtime at one and a half times the rate', () => {
    employee.logHours(new Date(2024, 2, 9), 4);
    expect(overtimeHours(employee)).toBe(4);
    expect(grossPay(employee)).toBe(920);
  });

  it('subtracts taxes and deductions', () => {
    const deductions = [
      { name: 'pension', amount: 50 },
      { name: 'insurance', amount: 30 },
    ];
    expect(netPay(employee, { taxRate: 0.25, deductions })).toBe(520);
  });

  it('counts overtime from fewer hours for part-time employees', () => {
    const partTime = new Employee({ name: 'Tom Becker', hourlyRate: 18, hoursPerWeek: 20 });
    partTime.logHours(new Date(2024, 2, 4), 12);
    partTime.logHours(new Date(2024, 2, 5), 10);
    expect(overtimeHours(partTime)).toBe(2);
  });

  it('rejects impossible hours', () => {
    expect(() => employee.logHours(new Date(), 25)).toThrow(RangeError);
    expect(() => employee.logHours(new Date(), 0)).toThrow('Hours must be between 0 and 24');
  });
});
