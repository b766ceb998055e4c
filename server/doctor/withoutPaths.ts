// Removes what identifies a user from error texts, since users publish reports.
import { homedir, hostname, userInfo } from 'node:os';
import { basename } from 'node:path';

/** Matches absolute paths. */
const PATH = /(?<![\w)])(?:[A-Za-z]:\\|~?\/|file:\/\/)[^\s'"`,;:()]+/g;
/** Minimum length of a name to replace; shorter ones are parts of many words. */
const MIN_NAME_LENGTH = 3;

/** Removes paths and the names of user and machine from a text. */
export function withoutPaths(text: string): string {
  const names = [userName(), basename(homedir()), hostname(), hostname().replace(/\..*$/, '')];
  // Longer names first, since one can contain another.
  return names
    .filter((name) => name.length >= MIN_NAME_LENGTH)
    .sort((a, b) => b.length - a.length)
    .reduce((rest, name) => rest.replaceAll(name, '(name)'), text.replace(PATH, '(path)'));
}

/** Returns the user name; empty if the account has none. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
