const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const RULES = [
  { pattern: /\*\*(.+?)\*\*/g, replacement: '<strong>$1</strong>' },
  { pattern: /\*(.+?)\*/g, replacement: '<em>$1</em>' },
  { pattern: /`(.+?)`/g, replacement: '<code>$1</code>' },
  { pattern: /\[(.+?)\]\((.+?)\)/g, replacement: '<a href="$2">$1</a>' },
];

export function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
}

export function renderInline(text) {
  let html = escapeHtml(text);
  for (const { pattern, replacement } of RULES) {
    html = html.replace(pattern, replacement);
  }
  return html;
}

function renderHeading(line) {
  const level = line.match(/^#+/)[0].length;
  const title = renderInline(line.slice(level).trim());
  return `<h${level}>${title}</h${level}>`;
}

function renderList(lines) {
  const items = lines.map((line) => `<li>${renderInline(line.slice(2))}</li>`);
  return `<ul>${items.join('')}</ul>`;
}

export function renderMarkdown(source) {
  const blocks = source.split(/\n{2,}/).filter((block) => block.trim() !== '');
  return blocks
    .map((block) => {
      const lines = block.split('\n');
      if (block.startsWith('#')) return renderHeading(lines[0]);
      if (lines.every((line) => line.startsWith('- '))) return renderList(lines);
      return `<p>${renderInline(lines.join(' '))}</p>`;
    })
    .join('\n');
}
