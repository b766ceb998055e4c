// Hidden files: files that no prompt may quote because they are secret, binary or generated, recognised by name,
// language and first text. The extension keeps them from the server, and the server from its models, whatever editor
// sends them.

const SECRET_NAME = new RegExp(
  [
    String.raw`^\.env`, // .env, .env.local, .envrc
    String.raw`\.env$`,
    String.raw`\.(pem|key|p12|pfx|p8|pk8|pkcs12|crt|cer|der|csr|jks|keystore|truststore|keytab|kdbx?|ppk|gpg|pgp|asc|ovpn|mobileprovision)$`,
    String.raw`^(ssh_host_)?id_(rsa|dsa|ecdsa|ed25519)(_sk)?$`,
    String.raw`_(rsa|dsa|ecdsa|ed25519)_key$`,
    String.raw`^[._](netrc|pgpass|my\.cnf|npmrc|yarnrc|pypirc|gemrc|htpasswd|git-credentials|dockercfg|boto|s3cfg|vault[-_]pass|vault-token|terraformrc|cargo-credentials)$`,
    String.raw`\.(tfvars|tfstate)(\.json|\.backup)?$`,
    String.raw`^(client|app|web)?[-_.]?(secrets?|credentials?|passwords?|passwd|apikeys?|api[-_]keys?)(\.(json|ya?ml|toml|ini|cfg|conf|txt|properties|xml|csv|enc|local))*$`,
    String.raw`^\.(secrets?|credentials?|passwords?)(\.|$)`,
    String.raw`^(client[-_]secret|service[-_]?account|gcp[-_]key|firebase-adminsdk).*\.json$`,
    String.raw`^(master|production|development|staging)\.key$`,
    String.raw`^(kubeconfig|shadow|gshadow|htpasswd|authorized_keys)$`,
  ].join('|'),
  'i',
);
const SECRET_FOLDER = /(^|\/)\.(ssh|gnupg|gpg|aws|azure|kube|docker|password-store|secrets?)\//i;
const SECRET_LANGUAGES: readonly string[] = ['dotenv', 'ssh_config'];
const SECRET_START = /^(-----BEGIN |\$ANSIBLE_VAULT;|age-encryption\.org\/|PuTTY-User-Key-File-)/;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY/;

const BINARY_NAME =
  /\.(png|jpe?g|gif|webp|bmp|ico|icns|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|7z|rar|jar|war|whl|exe|dll|so|dylib|a|o|obj|lib|node|wasm|class|pyc|pyo|bin|dat|db|sqlite3?|iso|img|dmg|mp[34]|m4a|wav|flac|ogg|avi|mov|mkv|woff2?|ttf|otf|eot|safetensors|gguf|onnx|pt|pth|ckpt|npy|npz|parquet)$/i;
const MINIFIED_NAME = /[.-]min\.(js|mjs|cjs|css|html?|svg)$|\.bundle\.(js|css)$|\.map$/i;

/** A file with a longer line was not written by hand, nor was a large one with a longer average line. */
export const LONGEST_LINE = 5000;
export const LONGEST_MEAN_LINE = 400;

/** A text with more UTF-16 units is not read at all. */
export const LONGEST_TEXT = 2_000_000;

/** `path` may use slashes or backslashes; `start` is as much of the text as is known, from its first line. */
export function isSecretFile(path: string, languageId: string, start: string): boolean {
  const plain = path.replaceAll('\\', '/');
  return (
    SECRET_NAME.test(plain.slice(plain.lastIndexOf('/') + 1)) ||
    SECRET_FOLDER.test(plain) ||
    SECRET_LANGUAGES.includes(languageId) ||
    SECRET_START.test(start) ||
    PRIVATE_KEY.test(start)
  );
}

export function isBinaryName(path: string): boolean {
  return BINARY_NAME.test(path);
}

export function isMinifiedName(path: string): boolean {
  return MINIFIED_NAME.test(path);
}
