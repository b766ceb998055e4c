const MONTHS = [
  'January', 'February', 'March', 'April', 'May', 'June',
  'July', 'August', 'September', 'October', 'November', 'December',
];

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export function isLeapYear(year) {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

export function daysInMonth(year, month) {
  if (month === 1) return isLeapYear(year) ? 29 : 28;
  return [3, 5, 8, 10].includes(month) ? 30 : 31;
}

export function firstWeekday(year, month) {
  // Sunday is 0 in JavaScript, but the last column here.
  return (new Date(year, month, 1).getDay() + 6) % 7;
}

export function weeksOf(year, month) {
  const cells = Array(firstWeekday(year, month)).fill(null);
  for (let day = 1; day <= daysInMonth(year, month); day++) {
    cells.push(day);
  }
  while (cells.length % 7 !== 0) cells.push(null);
  const weeks = [];
  for (let i = 0; i < cells.length; i += 7) {
    weeks.push(cells.slice(i, i + 7));
  }
  return weeks;
}

function formatDay(day) {
  return day === null ? '   ' : String(day).padStart(3);
}

export function renderMonth(year, month) {
  const title = `${MONTHS[month]} ${year}`;
  const header = WEEKDAYS.map((name) => name.padStart(3)).join(' ');
  const rows = weeksOf(year, month).map((week) => week.map(formatDay).join(' '));
  return [title, header, ...rows].join('\n');
}

export function renderYear(year) {
  return MONTHS.map((_, month) => renderMonth(year, month)).join('\n\n');
}

export function nextMonth(year, month) {
  return month === 11 ? [year + 1, 0] : [year, month + 1];
}

export function previousMonth(year, month) {
  return month === 0 ? [year - 1, 11] : [year, month - 1];
}
