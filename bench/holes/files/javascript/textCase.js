function words(text) {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word.length > 0);
}

function capitalize(word) {
  return word[0].toUpperCase() + word.slice(1).toLowerCase();
}

function kebabCase(text) {
  return words(text)
    .map((word) => word.toLowerCase())
    .join('-');
}

function snakeCase(text) {
  return words(text)
    .map((word) => word.toLowerCase())
    .join('_');
}

function pascalCase(text) {
  return words(text).map(capitalize).join('');
}

function camelCase(text) {
  const pascal = pascalCase(text);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

function truncate(text, maxLength, ellipsis = '...') {
  if (text.length <= maxLength) return text;
  return text.slice(0, maxLength - ellipsis.length) + ellipsis;
}

function padStart(text, width, fill = ' ') {
  let result = text;
  while (result.length < width) result = fill + result;
  return result;
}

function padEnd(text, width, fill = ' ') {
  let result = text;
  while (result.length < width) result = result + fill;
  return result;
}

function countOccurrences(text, part) {
  let count = 0;
  let index = text.indexOf(part);
  while (index !== -1) {
    count++;
    index = text.indexOf(part, index + part.length);
  }
  return count;
}

module.exports = {
  words,
  capitalize,
  kebabCase,
  snakeCase,
  pascalCase,
  camelCase,
  truncate,
  padStart,
  padEnd,
  countOccurrences,
};
