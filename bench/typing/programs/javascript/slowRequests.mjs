import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const LINE = /^(\S+) \[([^\]]+)\] "(\w+) (\S+)[^"]*" (\d{3}) (\d+)ms$/;

function parseLine(line) {
  const match = LINE.exec(line);
  if (!match) return null;
  const [, ip, time, method, path, status, duration] = match;
  return { ip, time, method, path, status: Number(status), duration: Number(duration) };
}

async function readRequests(file) {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  const requests = [];
  for await (const line of lines) {
    const request = parseLine(line);
    if (request) requests.push(request);
  }
  return requests;
}

function summarize(requests) {
  const byPath = new Map();
  for (const { path, duration, status } of requests) {
    const entry = byPath.get(path) ?? { path, count: 0, total: 0, slowest: 0, errors: 0 };
    entry.count += 1;
    entry.total += duration;
    entry.slowest = Math.max(entry.slowest, duration);
    if (status >= 500) entry.errors += 1;
    byPath.set(path, entry);
  }
  return [...byPath.values()].sort((a, b) => b.total / b.count - a.total / a.count);
}

const [file, limit = '10'] = process.argv.slice(2);
if (!file) {
  console.error('Usage: slow-requests LOGFILE [LIMIT]');
  process.exit(1);
}

const summary = summarize(await readRequests(file));
for (const { path, count, total, slowest, errors } of summary.slice(0, Number(limit))) {
  const average = (total / count).toFixed(1);
  console.log(`${path.padEnd(40)} ${count} requests, ${average} ms, at most ${slowest} ms, ${errors} errors`);
}
