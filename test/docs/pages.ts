// The pages of the documentation as the tests read them.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { documentationPages } from '../../bench/docs/documentationPages';

export type Page = ReturnType<typeof parsePage>;

const FENCE = /^(?:<!-- not run: (.+) -->\n\n?)?```(\w*)\n([^]*?)^```$/gm;

export function pages(): Page[] {
  return documentationPages().map((path) => parsePage(path, readFileSync(path, 'utf8')));
}

function parsePage(path: string, text: string) {
  // A block may say why a test does not run it.
  const fences = [...text.matchAll(FENCE)].map(([, notRun, language = '', code = '']) => {
    return { language, text: code, notRun };
  });
  const prose = text.replace(FENCE, '');
  return { path, text, prose, fences, links: linksOf(path, prose), anchors: anchorsOf(prose) };
}

/** Their targets are paths from the repository's folder, or addresses; the text of an image is its alternative. */
function linksOf(path: string, prose: string) {
  const found = prose.replace(/`[^`\n]*`/g, '').matchAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g);
  return [...found].map(([, mark, text = '', address = '']) => {
    const [to = '', anchor] = address.split('#');
    const isElsewhere = /^[a-z]+:/.test(to);
    const target = isElsewhere ? address : to === '' ? path : join(dirname(path), to).replaceAll('\\', '/');
    return { isImage: mark === '!', text, target, anchor: isElsewhere ? undefined : anchor };
  });
}

/** As GitHub and VS Code make them of headings, and those that a page names itself. */
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
