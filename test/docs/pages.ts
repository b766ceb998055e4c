// Reads the pages of the documentation for the tests.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { documentationPages } from '../../bench/docs/documentationPages';

export type Page = ReturnType<typeof parsePage>;

/** Matches a fenced block, with the comment before it that says why a test does not run it. */
const FENCE = /^(?:<!-- not run: (.+) -->\n\n?)?```(\w*)\n([^]*?)^```$/gm;

export function pages(): Page[] {
  return documentationPages().map((path) => parsePage(path, readFileSync(path, 'utf8')));
}

function parsePage(path: string, text: string) {
  const fences = [...text.matchAll(FENCE)].map(([, notRun, language = '', code = '']) => {
    return { language, text: code, notRun };
  });
  const prose = text.replace(FENCE, '');
  return { path, text, prose, fences, links: linksOf(path, prose), anchors: anchorsOf(prose) };
}

/**
 * Returns the links and images of a page. A target is a path from the folder of the repository, or a URL; the text of
 * an image is its alternative text.
 */
function linksOf(path: string, prose: string) {
  const found = prose.replace(/`[^`\n]*`/g, '').matchAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g);
  return [...found].map(([, mark, text = '', address = '']) => {
    const [to = '', anchor] = address.split('#');
    const isUrl = /^[a-z]+:/.test(to);
    const target = isUrl ? address : to === '' ? path : join(dirname(path), to).replaceAll('\\', '/');
    return { isImage: mark === '!', text, target, anchor: isUrl ? undefined : anchor };
  });
}

/** Returns the anchors of headings as GitHub and VS Code make them, and those that a page defines. */
function anchorsOf(prose: string): Set<string> {
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
  const named = [...prose.matchAll(/<a id="([\w-]+)">/g)].map(([, id = '']) => id);
  return new Set([...headings, ...named]);
}
