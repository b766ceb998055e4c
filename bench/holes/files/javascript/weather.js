const readings = [
  { city: 'Oslo', month: 1, temperature: -4.5, rainfall: 49 },
  { city: 'Oslo', month: 7, temperature: 17.2, rainfall: 81 },
  { city: 'Madrid', month: 1, temperature: 6.1, rainfall: 33 },
  { city: 'Madrid', month: 7, temperature: 25.6, rainfall: 10 },
  { city: 'Lima', month: 1, temperature: 22.4, rainfall: 1 },
];

export function mean(values) {
  if (values.length === 0) return NaN;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function standardDeviation(values) {
  const average = mean(values);
  const squares = values.map((value) => (value - average) ** 2);
  return Math.sqrt(mean(squares));
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function byCity(rows) {
  const cities = {};
  for (const row of rows) {
    cities[row.city] ??= [];
    cities[row.city].push(row);
  }
  return cities;
}

export function summarize(rows) {
  const temperatures = rows.map((row) => row.temperature);
  const rainfalls = rows.map((row) => row.rainfall);
  return {
    minTemperature: Math.min(...temperatures),
    maxTemperature: Math.max(...temperatures),
    meanTemperature: mean(temperatures),
    totalRainfall: rainfalls.reduce((sum, value) => sum + value, 0),
  };
}

export function toFahrenheit(celsius) {
  return (celsius * 9) / 5 + 32;
}

export function toCelsius(fahrenheit) {
  return ((fahrenheit - 32) * 5) / 9;
}

export function report(rows = readings) {
  return Object.entries(byCity(rows)).map(([city, group]) => ({ city, ...summarize(group) }));
}
