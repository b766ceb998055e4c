// Recognises files that are not code, by their names, sizes and characters: binary, minified or too large ones. The
// server does not use them in prompts; the extension does not even send the binary and too large ones to the server.

const BINARY_NAME =
  /\.(png|jpe?g|gif|webp|bmp|ico|icns|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|7z|rar|jar|war|whl|exe|dll|so|dylib|a|o|obj|lib|node|wasm|class|pyc|pyo|bin|dat|db|sqlite3?|iso|img|dmg|mp[34]|m4a|wav|flac|ogg|avi|mov|mkv|woff2?|ttf|otf|eot|safetensors|gguf|onnx|pt|pth|ckpt|npy|npz|parquet)$/i;
const MINIFIED_NAME = /[.-]min\.(js|mjs|cjs|css|html?|svg)$|\.bundle\.(js|css)$|\.map$/i;

/** Maximum characters of a line; code written by hand has shorter ones. */
export const MAX_CODE_LINE_LENGTH = 5000;
/** Maximum mean length of the lines of a large file, in characters. */
export const MAX_MEAN_CODE_LINE_LENGTH = 400;

/** Maximum length of a text that is read, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 2_000_000;

/** Number of control or replacement characters (U+FFFD) that a text of any length can have. */
export const MAX_ODD_CHARACTERS = 8;

/** Returns whether a text has more replacement characters (U+FFFD) than a few words in another encoding cause. */
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
