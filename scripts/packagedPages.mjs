// Converts the documentation for the VSIX. A preview shows no files from outside of the page's folder, so the pages of
// docs/ embed their pictures. The extension's details page shows pictures only from the web, so its README has none.
import fs from 'node:fs';
import path from 'node:path';

const PICTURE = /!\[([^\]]*)\]\((?!https:)([^)\s]+)\)/g;
/** Consecutive lines with a picture each, and the empty line after them. */
const PICTURE_LINES = /^(?:!\[[^\]]*\]\([^)\s]+\)\n)+\n/gm;
const LINK = /(?<!!)\[([^\]]*)\]\((?!https:)([^)\s#]*)[^)\s]*\)/g;
const TYPES = { '.png': 'image/png', '.svg': 'image/svg+xml' };
const NOTE =
  '_Run **Flashline: Open Documentation** in the Command Palette to read the pages that are named here._';

/**
 * Converts a page of docs/: embeds pictures, and makes text of links to files that are not packaged. `folder` is the
 * folder of the page among the packaged files. Throws if a picture is missing or is neither PNG nor SVG.
 */
export function packagedPage(text, folder) {
  return text
    .replace(PICTURE, (_, alternative, file) => `![${alternative}](${dataUri(path.join(folder, file))})`)
    .replace(LINK, (link, label, file) => (fs.existsSync(path.join(folder, file)) ? link : label))
    .replaceAll('../README.md', '../readme.md'); // as vsce names it
}

/** Converts the README: drops its pictures, makes text of links to files, and says how to open the pages. */
export function packagedReadme(text) {
  const [title = '', ...rest] = text.replace(PICTURE_LINES, '').replace(LINK, '$1').split('\n\n');
  return [title, NOTE, ...rest].join('\n\n');
}

function dataUri(file) {
  const type = TYPES[path.extname(file)];
  if (type === undefined) throw new Error(`Expected pictures in PNG or SVG, got ${file}; convert it`);
  return `data:${type};base64,${fs.readFileSync(file).toString('base64')}`;
}
