// The README as it is in the VSIX. VS Code shows it on the extension's details page without a place that relative paths
// could start from, so pictures are inside of it. Links to files become their text: the command "Flashline: Open
// Documentation" shows the pages.
import fs from 'node:fs';
import path from 'node:path';

const PICTURE = /!\[([^\]]*)\]\((?!https:)([^)\s]+\.png)\)/g;
const LINK = /(?<!!)\[([^\]]*)\]\((?!https:)[^)\s]+\)/g;

/** `folder` is that of the README. Throws when a picture is missing, or is no PNG, which vsce would refuse. */
export function packagedReadme(text, folder) {
  const packaged = text
    .replace(PICTURE, (_, alternative, file) => {
      const bytes = fs.readFileSync(path.join(folder, file));
      return `![${alternative}](data:image/png;base64,${bytes.toString('base64')})`;
    })
    .replace(LINK, '$1');
  const [left] = /!\[[^\]]*\]\((?!data:)[^)]*\)/.exec(packaged) ?? [];
  if (left !== undefined)
    throw new Error(`Expected pictures of README.md in PNG, got ${left}; add a PNG of it`);
  return packaged;
}
