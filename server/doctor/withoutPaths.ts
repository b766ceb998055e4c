// Texts for a report that others read: without paths, and without the names of the user and of the machine.
import { homedir, hostname, userInfo } from 'node:os';
import { basename } from 'node:path';

const PATH = /(?<![\w)])(?:[A-Za-z]:\\|~?\/|file:\/\/)[^\s'"`,;:()]+/g;
/** Shorter names are parts of many words. */
const LEAST_LETTERS = 3;

export function withoutPaths(text: string): string {
  const names = [userName(), basename(homedir()), hostname(), hostname().replace(/\..*$/, '')];
  return names
    .filter((name) => name.length >= LEAST_LETTERS)
    .reduce((rest, name) => rest.replaceAll(name, '(name)'), text.replace(PATH, '(path)'));
}

/** Some users have none. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
