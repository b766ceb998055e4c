// Replaces generated blocks: parts of a Markdown page between <!-- generated: NAME --> and <!-- /generated -->.
import { WrongValue } from '../../server/rules/userError';

const BLOCK = /^<!-- generated: (.+) -->\n[^]*?^<!-- \/generated -->$/gm;
const BEGIN = /^<!-- generated: /gm;

/**
 * Returns the page with each block replaced. Throws UserError for a block without an end, and passes on errors of
 * `textOf` for unknown names.
 */
export function withGeneratedBlocks(page: string, textOf: (name: string) => string): string {
  const blockCount = [...page.matchAll(BLOCK)].length;
  const beginCount = [...page.matchAll(BEGIN)].length;
  if (blockCount !== beginCount)
    throw new WrongValue({
      expected: `${String(beginCount)} generated blocks that end in "<!-- /generated -->"`,
      got: String(blockCount),
      remedy: 'close each block before the next one begins',
    });
  return page.replace(
    BLOCK,
    (_, name: string) => `<!-- generated: ${name} -->\n\n${textOf(name)}\n\n<!-- /generated -->`,
  );
}
