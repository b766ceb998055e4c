// The documentation as it is in the VSIX, with its pictures inside of the pages: the extension's details page has no
// place that relative paths could start from, and a preview shows no files from outside of the page's folder.
import fs from 'node:fs';
import path from 'node:path';

const PICTURE = /!\[([^\]]*)\]\((?!https:)([^)\s]+)\)/g;
const LINK = /(?<!!)\[([^\]]*)\]\((?!https:)[^)\s]+\)/g;
const TYPES = { '.png': 'image/png', '.svg': 'image/svg+xml' };

/** `folder` is that of the page. Throws when a picture is missing or is neither PNG nor SVG. */
export function withPictures(text, folder) {
  return text.replace(PICTURE, (_, alternative, file) => {
    const type = TYPES[path.extname(file)];
    if (type === undefined) throw new Error(`Expected pictures in PNG or SVG, got ${file}; convert it`);
    const bytes = fs.readFileSync(path.join(folder, file));
    return `![${alternative}](data:${type};base64,${bytes.toString('base64')})`;
  });
}

/** For the details page. Links to files become their text; "Flashline: Open Documentation" shows the pages. */
export function packagedReadme(text, folder) {
  const svg = /\]\(([^)\s]+\.svg)\)/.exec(text);
  if (svg)
    throw new Error(`Expected PNGs in README.md, as vsce refuses others, got ${svg[1]}; use a PNG of it`);
  return withPictures(text, folder).replace(LINK, '$1');
}
