// Re-exports the parts of @huggingface/hub in use. Imported dynamically at the first exchange with the Hub, so that the
// server's start and memory do not pay for them; the static names here keep the rest of the package out of the bundle.
import type { downloadFile } from '@huggingface/hub';

export { downloadFile, listFiles, modelInfo } from '@huggingface/hub';
export type { FileDownloadInfoOutput } from '@huggingface/hub';

/** Fetch function through which the library makes its requests. */
export type LibraryFetch = NonNullable<Parameters<typeof downloadFile>[0]['fetch']>;
