// What a folder for downloads does not allow, in words for the user.
import { InputError } from '../rules/inputError';

const GOT: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'a read-only file system',
  ENOSPC: 'a full disk',
  EDQUOT: 'a full disk quota',
};

/** The error itself, unless it says that the folder cannot be used. */
export function folderProblem(error: unknown, folder: string): unknown {
  const { code = '', syscall } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  // Node's name for a folder that a read-only file system does not let it make.
  const got = code === 'ENOENT' && syscall === 'mkdir' ? GOT['EROFS'] : GOT[code];
  if (got === undefined) return error;
  return new InputError({
    expected: `to read and write downloads in ${folder}`,
    got,
    remedy: 'give this user access and space there, or use another folder',
    command: 'HF_HUB_CACHE',
    cause: error,
  });
}
