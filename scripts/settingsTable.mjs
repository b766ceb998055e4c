// Writes the table of settings into README.md, between two comments, from what package.json declares and
// package.nls.json says about it: name, default, and the first sentence of the description.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, script, SetupError } from './command.mjs';

const BEGIN = '<!-- settings: written by npm run docs -->';
const END = '<!-- end of settings -->';

/** The README with the table of `manifest`'s settings in the words of `words`. */
export function withSettingsTable(readme, manifest, words) {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin < 0 || end < begin)
    throw new SetupError({
      expected: `"${BEGIN}" and "${END}" in README.md`,
      got: 'none in this order',
      remedy: 'put them where the table belongs',
    });
  return `${readme.slice(0, begin)}${BEGIN}\n\n${settingsTable(manifest, words)}\n\n${readme.slice(end)}`;
}

function settingsTable(manifest, words) {
  const rows = Object.entries(manifest.contributes.configuration.properties).map(([name, setting]) => [
    `\`${name}\``,
    defaultText(setting.default),
    meaning(words[setting.markdownDescription.slice(1, -1)], setting.enum),
  ]);
  const lines = [['setting', 'default', 'meaning'], ...rows];
  const widths = [0, 1, 2].map((i) => Math.max(...lines.map((cells) => cells[i].length)));
  const line = (cells, fill = ' ') =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i], fill)).join(' | ')} |`;
  return [line(lines[0]), line(['', '', ''], '-'), ...rows.map((cells) => line(cells))].join('\n');
}

function defaultText(value) {
  if (value === '' || value === null) return 'empty';
  if (typeof value === 'string') return `\`${value}\``;
  if (typeof value !== 'object' || Array.isArray(value)) return `\`${JSON.stringify(value)}\``;
  const off = Object.keys(value).filter((key) => !value[key]);
  return value['*'] && off.length > 0 ? `all but ${off.join(', ')}` : `\`${JSON.stringify(value)}\``;
}

/** The first sentence, without links between settings; the values of an enumeration follow. */
function meaning(description, values) {
  const [sentence] = description.replace(/`#([\w.]+)#`/g, '`$1`').split(/\.(?=\s|$)/);
  const text =
    values === undefined ? sentence : `${sentence}: ${values.map((each) => `\`${each}\``).join(', ')}`;
  return text.replaceAll('|', '\\|');
}

if (fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  script(() => {
    const file = path.join(root, 'README.md');
    const json = (name) => JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'));
    const readme = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, withSettingsTable(readme, json('package.json'), json('package.nls.json')));
  });
