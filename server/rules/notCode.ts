// Recognises files that are not code, by name and size: binary, generated or too large. The extension does not send
// them to the server, and the server does not show them to its models.

const BINARY_NAME =
  /\.(png|jpe?g|gif|webp|bmp|ico|icns|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|7z|rar|jar|war|whl|exe|dll|so|dylib|a|o|obj|lib|node|wasm|class|pyc|pyo|bin|dat|db|sqlite3?|iso|img|dmg|mp[34]|m4a|wav|flac|ogg|avi|mov|mkv|woff2?|ttf|otf|eot|safetensors|gguf|onnx|pt|pth|ckpt|npy|npz|parquet)$/i;
const MINIFIED_NAME = /[.-]min\.(js|mjs|cjs|css|html?|svg)$|\.bundle\.(js|css)$|\.map$/i;

/** Characters of a line, and of the mean line of a large file; code written by hand has shorter ones. */
export const MAX_LINE_LENGTH = 5000;
export const MAX_MEAN_LINE_LENGTH = 400;

/** UTF-16 units; longer texts are not read at all. */
export const MAX_TEXT_LENGTH = 2_000_000;

/** Number of control characters, or letters of another encoding, that a text of any length can have. */
export const MAX_ODD_CHARACTERS = 8;

/** Returns whether the text has more replacement characters (U+FFFD) than a few words in another encoding produce. */
export function isBroken(text: string): boolean {
  const { length = 0 } = text.match(/\uFFFD/g) ?? {};
  return length > MAX_ODD_CHARACTERS && length > text.length / 10;
}

export function isBinaryName(path: string): boolean {
  return BINARY_NAME.test(path);
}

export function isMinifiedName(path: string): boolean {
  return MINIFIED_NAME.test(path);
}
