#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lines: { type: 'boolean', short: 'l', default: false },
    words: { type: 'boolean', short: 'w', default: false },
    bytes: { type: 'boolean', short: 'b', default: false },
  },
});

function count(text) {
  return {
    lines: text.split('\n').length - 1,
    words: text.split(/\s+/).filter(Boolean).length,
    bytes: Buffer.byteLength(text),
  };
}

function addCounts(a, b) {
  return {
    lines: a.lines + b.lines,
    words: a.words + b.words,
    bytes: a.bytes + b.bytes,
  };
}

function formatRow(counts, name) {
  const all = !values.lines && !values.words && !values.bytes;
  const columns = [];
  if (all || values.lines) columns.push(counts.lines);
  if (all || values.words) columns.push(counts.words);
  if (all || values.bytes) columns.push(counts.bytes);
  return [...columns.map((value) => String(value).padStart(8)), name].join(' ');
}

async function main() {
  if (positionals.length === 0) {
    console.error('usage: wordCount [-l] [-w] [-b] FILE...');
    process.exitCode = 2;
    return;
  }
  let total = { lines: 0, words: 0, bytes: 0 };
  for (const file of positionals) {
    try {
      const counts = count(await readFile(file, 'utf8'));
      total = addCounts(total, counts);
      console.log(formatRow(counts, file));
    } catch (error) {
      console.error(`wordCount: ${file}: ${error.message}`);
      process.exitCode = 1;
    }
  }
  if (positionals.length > 1) console.log(formatRow(total, 'total'));
}

await main();
