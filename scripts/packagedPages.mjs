// Converts the documentation for the VSIX by embedding its pictures: the extension's details page has no base for
// relative paths, and a preview shows no files from outside of the page's folder.
import fs from 'node:fs';
import path from 'node:path';

const PICTURE = /!\[([^\]]*)\]\((?!https:)([^)\s]+)\)/g;
const LINK = /(?<!!)\[([^\]]*)\]\((?!https:)[^)\s]+\)/g;
const TYPES = { '.png': 'image/png', '.svg': 'image/svg+xml' };

/** Embeds the pictures of a page in `folder`. Throws if a picture is missing or is neither PNG nor SVG. */
export function withPictures(text, folder) {
  return text.replace(PICTURE, (_, alternative, file) => {
    const type = TYPES[path.extname(file)];
    if (type === undefined) throw new Error(`Expected pictures in PNG or SVG, got ${file}; convert it`);
    const bytes = fs.readFileSync(path.join(folder, file));
    return `![${alternative}](data:${type};base64,${bytes.toString('base64')})`;
  });
}

const NOTE =
  '_Run **Flashline: Open Documentation** in the Command Palette to read the pages that are named here._';

/** Converts the README for the details page: links to files become text, and a note says how to open the pages. */
export function packagedReadme(text, folder) {
  const svg = /\]\(([^)\s]+\.svg)\)/.exec(text);
  if (svg) throw new Error(`Expected PNGs in README.md, got ${svg[1]}; convert it, since vsce refuses SVG`);
  const [title = '', ...rest] = withPictures(text, folder).replace(LINK, '$1').split('\n\n');
  return [title, NOTE, ...rest].join('\n\n');
}
