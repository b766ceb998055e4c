// Pointers of Git LFS: a clone without LFS has these short texts in place of the large files.

/** Beginning of a pointer. */
export const LFS_POINTER = 'version https://git-lfs.github.com/';
/** Error fields for a pointer that was found instead of a file. */
export const LFS_INSTEAD = {
  got: 'a pointer of Git LFS',
  remedy: 'get the files that the pointers stand for with git lfs pull',
};
