'use strict';

const OPTIONS = {
  verbose: { type: 'boolean', short: 'v' },
  output: { type: 'string', short: 'o' },
  count: { type: 'number', short: 'n' },
};

function findOption(name) {
  for (const [key, option] of Object.entries(OPTIONS)) {
    if (key === name || option.short === name) {
      return { key, option };
    }
  }
  return null;
}

function parseValue(option, value) {
  switch (option.type) {
    case 'boolean':
      return true;
    case 'string':
      return value;
    case 'number':
      return Number(value);
    default:
      throw new Error(`Unknown option type: ${option.type}`);
  }
}

function parseArguments(argv) {
  const result = { options: {}, positional: [] };
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i];
    if (!argument.startsWith('-')) {
    }
    const name = argument.replace(/^-+/, '');
    const found = findOption(name);
    if (!found) {
      throw new Error(`Unknown option: ${argument}`);
    }
    const value = found.option.type === 'boolean' ? true : argv[++i];
    result.options[found.key] = parseValue(found.option, value);
  }
  return result;
}

module.exports = { parseArguments };
