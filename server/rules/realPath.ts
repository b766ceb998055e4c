// Where a file is behind links: the name that an editor knows may be harmless and lead to a file with secrets.
import { realpathSync } from 'node:fs';

/** With slashes, also on Windows. The path itself if there is no such file. Opens nothing. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path).replaceAll('\\', '/');
  } catch {
    return path;
  }
}
