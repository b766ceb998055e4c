// Files that are no code: binary, generated or too large, recognised by name and size. The extension keeps them from the
// server, and the server from its models, whatever editor sends them.

const BINARY_NAME =
  /\.(png|jpe?g|gif|webp|bmp|ico|icns|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|7z|rar|jar|war|whl|exe|dll|so|dylib|a|o|obj|lib|node|wasm|class|pyc|pyo|bin|dat|db|sqlite3?|iso|img|dmg|mp[34]|m4a|wav|flac|ogg|avi|mov|mkv|woff2?|ttf|otf|eot|safetensors|gguf|onnx|pt|pth|ckpt|npy|npz|parquet)$/i;
const MINIFIED_NAME = /[.-]min\.(js|mjs|cjs|css|html?|svg)$|\.bundle\.(js|css)$|\.map$/i;

/** A file with a longer line was not written by hand, nor was a large one with a longer average line. */
export const LONGEST_LINE = 5000;
export const LONGEST_MEAN_LINE = 400;

/** A text with more UTF-16 units is not read at all. */
export const LONGEST_TEXT = 2_000_000;

/** Any text may have so many control characters, or letters of another encoding, however short it is. */
export const MOST_ODD = 8;

/** Returns whether the text has more replacement characters (U+FFFD) than words in another encoding leave. */
export function isBroken(text: string): boolean {
  const { length = 0 } = text.match(/\uFFFD/g) ?? {};
  return length > MOST_ODD && length > text.length / 10;
}

export function isBinaryName(path: string): boolean {
  return BINARY_NAME.test(path);
}

export function isMinifiedName(path: string): boolean {
  return MINIFIED_NAME.test(path);
}
