// Which documents may enter a prompt at all: no secrets, nothing that is not code, nothing without end.
// The extension has the first gate; this one holds for every client.
import type { DocumentSnapshot } from './context';

export type Ineligibility = 'secret' | 'binary' | 'minified' | 'large';

const MAX_CHARACTERS = 2_000_000;
/** Characters at the start that are looked at. */
const SAMPLE = 65_536;
const LONGEST_LINE = 5_000;
const LONGEST_MEAN = 400;

const SECRET_NAMES = [
  /^\.env($|\.|rc$)/,
  /\.env$/,
  /\.(pem|key|pfx|p12|p8|pk8|ppk|jks|keystore|kdbx?|asc|gpg|pgp|ovpn|cer|crt|der)$/,
  /\.(tfvars|tfstate)(\.json|\.backup)?$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /^(credentials?|secrets?)(\.(json|ya?ml|toml|ini|xml|csv|txt|properties))?$/,
  /^(client_secret|service[-_]?account).*\.json$/,
  /^[._](npmrc|yarnrc|netrc|pypirc|pgpass|htpasswd|my\.cnf|dockercfg|git-credentials|boto|s3cfg)$/,
  /^kubeconfig$/,
];
const SECRET_FOLDERS = /(^|\/)(\.ssh|\.gnupg|\.aws|\.kube|\.docker)\//;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY/;

/** A document at one version, looked at once: whoever makes a prompt reads `ineligible` there. */
export function documentSnapshot(document: Omit<DocumentSnapshot, 'ineligible'>): DocumentSnapshot {
  return { ...document, ineligible: ineligibility(document) };
}

/** Why a document must stay out of every prompt; undefined when it may enter. */
export function ineligibility({
  uri,
  fileName,
  text,
}: Pick<DocumentSnapshot, 'uri' | 'fileName' | 'text'>): Ineligibility | undefined {
  if (isSecretPath(uri) || isSecretPath(fileName)) return 'secret';
  if (text.length > MAX_CHARACTERS) return 'large';
  const sample = text.slice(0, SAMPLE);
  if (PRIVATE_KEY.test(sample)) return 'secret';
  if (isBinary(sample)) return 'binary';
  return isMinified(fileName, sample) ? 'minified' : undefined;
}

/** By the name alone, of a path or a URI. */
export function isSecretPath(path: string): boolean {
  const plain = decoded(path).replaceAll('\\', '/').toLowerCase();
  const name = plain.slice(plain.lastIndexOf('/') + 1);
  return SECRET_FOLDERS.test(plain) || SECRET_NAMES.some((pattern) => pattern.test(name));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path.replace(/[?#].*$/, ''));
  } catch {
    return path;
  }
}

function isBinary(sample: string): boolean {
  if (sample.includes('\0')) return true;
  // eslint-disable-next-line no-control-regex -- such characters are what a binary file looks like as text
  const odd = sample.match(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g);
  return (odd?.length ?? 0) > sample.length / 50;
}

function isMinified(fileName: string, sample: string): boolean {
  if (/[.-]min\.(js|mjs|cjs|css)$/i.test(fileName)) return true;
  const lines = sample.split('\n');
  return (
    lines.some((line) => line.length > LONGEST_LINE) ||
    (sample.length > LONGEST_LINE && sample.length / lines.length > LONGEST_MEAN)
  );
}
