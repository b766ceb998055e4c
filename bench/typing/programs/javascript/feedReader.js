import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const USER_AGENT = 'feed-reader/2.1';

export async function loadFeeds(path) {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

export async function fetchFeed(url, { retries = 3, timeoutMs = 5000 } = {}) {
  for (let attempt = 1; attempt <= retries; attempt++) {
    try {
      const response = await fetch(url, {
        headers: { 'User-Agent': USER_AGENT },
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
      return await response.text();
    } catch (error) {
      if (attempt === retries) throw error;
      await sleep(attempt * 250);
    }
  }
}

export function parseItems(xml) {
  const items = [];
  for (const [, body] of xml.matchAll(/<item>([\s\S]*?)<\/item>/g)) {
    items.push({
      title: textOf(body, 'title'),
      link: textOf(body, 'link'),
      publishedAt: new Date(textOf(body, 'pubDate')),
    });
  }
  return items;
}

function textOf(body, tag) {
  const match = body.match(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`));
  return match ? unescapeXml(match[1].trim()) : '';
}

function unescapeXml(text) {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

export async function collect(path, outputPath) {
  const urls = await loadFeeds(path);
  const results = await Promise.allSettled(urls.map((url) => fetchFeed(url)));
  const items = [];
  for (const [index, result] of results.entries()) {
    if (result.status === 'rejected') {
      console.error(`${urls[index]}: ${result.reason.message}`);
      continue;
    }
    items.push(...parseItems(result.value));
  }
  items.sort((a, b) => b.publishedAt - a.publishedAt);
  await writeFile(outputPath, JSON.stringify(items, null, 2));
  return items.length;
}
