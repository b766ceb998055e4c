function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values) {
  return sum(values) / values.length;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 0 ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle];
}

function variance(values) {
  const average = mean(values);
  return sum(values.map((value) => (value - average) ** 2)) / (values.length - 1);
}

function standardDeviation(values) {
  return Math.sqrt(variance(values));
}

function correlation(xs, ys) {
  if (xs.length !== ys.length) throw new RangeError('Both samples must have the same length');
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const products = xs.map((x, i) => (x - meanX) * (ys[i] - meanY));
  const covariance = sum(products) / (xs.length - 1);
  return covariance / (standardDeviation(xs) * standardDeviation(ys));
}

function linearRegression(xs, ys) {
  const slope = (correlation(xs, ys) * standardDeviation(ys)) / standardDeviation(xs);
  const intercept = mean(ys) - slope * mean(xs);
  return { slope, intercept, predict: (x) => slope * x + intercept };
}

function histogram(values, bins = 10) {
  const min = Math.min(...values);
  const width = (Math.max(...values) - min) / bins;
  const counts = new Array(bins).fill(0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor((value - min) / width));
    counts[bin] += 1;
  }
  return counts;
}

module.exports = { mean, median, variance, standardDeviation, correlation, linearRegression, histogram };
