// Recognises the paths of secret files, which prompts never quote: names of keys, environments and credential stores,
// and the folders of tools that store them. secretNames.ts lists the names; the patterns here find those that vary.
import {
  CODE_EXTENSIONS,
  COPY_EXTENSIONS,
  DATA_EXTENSIONS,
  DOT_FOLDERS,
  FILES_IN_FOLDERS,
  KEY_EXTENSIONS,
  SECRET_FOLDERS,
  SETTINGS_FOLDERS,
  STAGES,
  TOOL_FILES,
} from './secretNames';

const DATA = anyOf(DATA_EXTENSIONS);
const CODE = `(d\\.)?[cm]?[jt]sx?|${anyOf(CODE_EXTENSIONS)}`;
const KEY_FILE = anyOf(KEY_EXTENSIONS);
/** Extensions of keys and tokens that were encoded or packed as text. */
const ENCODED = 'te?xt|json|b64|base64|dat|out';
const STAGE = `${anyOf(STAGES)}|\\d+`;
const ALGORITHM = '(rsa|dsa|ecdsa|ed25519|ed448|xmss)';
const START = '(^|[ ._-])';
const KEY = '(api|private|priv|secret|access|encryption|auth)[ ._-]?keys?';
const WORD = `${START}(secrets?|credentials?|creds|passwords?|passwd|passphrases?|${KEY})`;

/** Matches names of secret files, in lower case and without the marks of a copy. */
const NAME = new RegExp(
  [
    '^\\.env', // .env.local, .envrc
    `\\.env(\\.(?!(${CODE})$).+)?$`,
    `^env(\\.(${STAGE}))*$`,
    '^\\.(secrets?|credentials?|passwords?|tokens?)(\\.|$)',
    '^\\.([\\w.-]+[_.-]history|rhistory|histfile)$|^(fish|consolehost)_history(\\.txt)?$',
    // server.key.txt, id_rsa.b64
    `\\.(${KEY_FILE})(\\.(${ENCODED}))*$`,
    `(^|_)id_${ALGORITHM}(_sk)?\\.(${ENCODED})$`,
    // Ethereum's key files begin with their time.
    '^utc--\\d{4}-',
    `^private\\.(${DATA})$`,
    '(^|[._-])sops\\.(ya?ml|json|ini)$',
    `${START}(recovery|backup)[ ._-]?(codes?|phrase|seed)(\\.(${DATA}))?$`,
    `${START}(mnemonic|seed[ ._-]?phrase)s?(\\.(${DATA}))?$`,
    '^(bitwarden|lastpass|1password|keepass|dashlane|protonpass).*\\.(csv|json|xml)$',
    '^msal_(token|http)_cache|^cookies?(jar)?\\.(te?xt|json|sqlite|jar|db)$',
    '^krb5cc_|^\\.b2_account_info$|^oauth2?[._-]?(creds?|tokens?)\\.json$',
    '\\.(tfvars|tfstate|tfrc|pkrvars)(\\..*)?$',
    `(^|_)id_${ALGORITHM}(_sk)?([_-][\\w-]*)?$`,
    `[._-]${ALGORITHM}(_key)?$`,
    `${START}(deploy|ssh|host|server|signing|master)[._-]?key$`,
    // db_password.txt, secrets.dev.yaml, aws_credentials
    `${WORD}([._-](${STAGE}|keys?|file))*(\\.[\\w-]+)*?\\.(${DATA})$`,
    `${WORD}$`,
    `${START}((access|refresh|auth|oauth2?|api|bearer|bot|github|vault)[._-]?)?token(\\.(${DATA}))?$`,
    `${START}(client[._-]secret|service[._-]?account|gcp[._-]key|firebase[._-]adminsdk|default[._-]credentials).*\\.json$`,
    `${START}kube[._-]?(config|conf|cfg)([._-].*)?(?<!\\.(${CODE}))$`,
    `${START}vault([._-]pass(word)?(\\.(${DATA}))?|\\.ya?ml)$`,
    // Without the dot, gist and ssh are programs, whose manual pages and completions are not secret.
    '^\\W*\\.(gist|ssh)$|^ssh([ ._-].*)?\\.(zip|tar|tgz|tbz2?|txz|7z|rar)$',
    // Files of tools whose names vary; secretNames.ts has the others.
    `^netrc[._-](?!(${CODE})$)[\\w.-]+$|^dev\\.vars\\..*$|^sftp-config-alt\\d*\\.json$|-openrc\\.sh$`,
    '^wpa_supplicant-.*\\.conf$|^wg\\d+\\.conf$|^wireguard.*\\.conf$|^jfrog-cli\\.conf|publish_over_\\w+[\\w.]*\\.xml$',
  ].join('|'),
);
/** Finds folders in the system's folders for settings; the group is the folder's name. */
const SETTINGS_FOLDER =
  /\/(?:\.config|\.local\/(?:share|state)|library\/application support|appdata\/(?:roaming|local))(?=\/([^/]+)\/)/g;
/** Matches paths, in lower case, of files that are secret by their folder; secretNames.ts lists the fixed paths. */
const CREDENTIAL_PATH = new RegExp(
  [
    '/proc/[^/]+/(task/[^/]+/)?environ$|/etc/kubernetes/[^/]+\\.conf$|/\\.config/\\.?jira.*$|/\\.sbt/.*credentials$',
    '/\\.jupyter/.*(password|config)\\.json$|/\\.fastlane/.*/cookie$',
    '/sites/[^/]+/([^/]*settings[^/]*\\.php|[^/]*services[^/]*\\.yml)$',
    // Runtime settings of a web page. In these folders, env.js is a module of a program instead.
    '(?<!/(src|lib|dist|internal|utils|node_modules)(/.*)?)/env\\.js$',
  ].join('|'),
);
const LOCALE = '[a-z]{2}([_-]\\w{2,4}){0,2}';
/**
 * Matches translated texts about logins, which the rules for names would take for logins. Folders such as `messages`
 * also have files of programs.
 */
const TRANSLATION = new RegExp(
  [
    '/(i18n|lang|languages?|locales?|messages|translations?)/(.*/)?auth\\.json$',
    `/((i18n|locales?|translations?)(/${LOCALE})?|(lang|languages?|messages)/${LOCALE})/(passwords?|credentials?|secrets?|tokens?|api[_-]?keys?)\\.(json|ya?ml)$`,
  ].join('|'),
);
/** Extensions of copies. */
const COPIED = [
  anyOf(COPY_EXTENSIONS),
  '(bak|backup|copy|old|saved?)\\d*|sw[a-p]',
  // Versions and dates.
  'v?\\d+|~\\d+~|\\d{4}-\\d\\d(-\\d\\d)?([t_-][\\d:_-]+)?',
].join('|');
/** Matches one mark of a copy at the end of a name: ".bak", "~", " (1)". */
const BACKUP = new RegExp(
  `(~|#|(?<=.)-|\\.(${COPIED})|[ ._-]+(copy|bak|backup|old|orig|new|\\d{4}-?\\d\\d-?\\d\\d)|[ ._-]?\\((copy|\\d+)\\)?)$`,
);
/** Matches marks of a copy elsewhere: "Copy of server.key", "server copy.key". */
const COPY = /^copy of | ?(-? ?copy|\(\d+\))(?=\.)/g;

/** Maximum characters, as in file systems. The patterns are slow on longer names. */
const MAX_PATH_LENGTH = 4096;
const MAX_NAME_LENGTH = 255;
/** Maximum marks of a copy that are removed from one name. */
const MAX_MARKS = 8;

/** Cache of decisions: the same paths are checked at each keystroke. */
const decided = new Map<string, boolean>();
const MAX_DECIDED = 1000;

/**
 * Returns whether a file is secret. `file` is a name, a path with slashes or backslashes, or a URI, encoded or not.
 */
export function isSecretPath(file: string): boolean {
  const path = file.slice(-MAX_PATH_LENGTH);
  const decision = decided.get(path);
  if (decision !== undefined) return decision;
  if (decided.size >= MAX_DECIDED) decided.clear();
  const isSecret = decide(path);
  decided.set(path, isSecret);
  return isSecret;
}

function decide(path: string): boolean {
  const plain = plainPath(path);
  // Some programs drop control characters. In others, they end a name, as ?, # and : do in URIs and on Windows.
  const readings = [plain.replace(/\p{Cc}/gu, ''), ...plain.split(/[?#:\p{Cc}]/u)];
  return readings.some((reading) => {
    const parts = reading
      .split('/')
      .filter((part) => part.trim() !== '')
      .map(trimmed);
    const path = `/${parts.join('/')}`;
    return isCredentialPath(path) || (!TRANSLATION.test(path) && isSecretName(parts.at(-1) ?? ''));
  });
}

/** Normalises a path: lower case, slashes, no escapes, no invisible characters, one form of each letter. */
function plainPath(path: string): string {
  let plain = path;
  for (let i = 0; i < 3 && (i === 0 || plain.includes('%')); i++)
    plain = plain
      .normalize('NFKC')
      .replace(/(%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
  return plain
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\u2028\u2029]/g, '\n')
    .toLowerCase()
    .replaceAll('\\', '/');
}

/** Returns whether a path in lower case is one at which tools store credentials. */
function isCredentialPath(path: string): boolean {
  const folders = path.split('/').slice(0, -1);
  return (
    folders.some((folder) => folder.startsWith('.') && DOT_FOLDERS.has(folder.slice(1))) ||
    [...path.matchAll(SETTINGS_FOLDER)].some(([, folder = '']) => SETTINGS_FOLDERS.has(folder)) ||
    SECRET_FOLDERS.some((folder) => path.includes(`/${folder}/`)) ||
    FILES_IN_FOLDERS.some((file) => path.endsWith(`/${file}`)) ||
    CREDENTIAL_PATH.test(path)
  );
}

/** Removes quotes and brackets around a name, and the blanks and dots at its end, which Windows ignores. */
function trimmed(name: string): string {
  return name.replace(/^[\s"'`([{<]+|[\s."'`)\]}>,;]+$/g, '');
}

/** Returns whether a name, or the name without marks of a copy, is that of a secret file. */
function isSecretName(name: string): boolean {
  let unmarked = name.slice(-MAX_NAME_LENGTH).replace(COPY, '');
  for (let marks = 0; marks <= MAX_MARKS && unmarked !== ''; marks++) {
    const bare = unmarked.replace(/^[._#~$]+/, '');
    if (NAME.test(unmarked) || NAME.test(bare) || TOOL_FILES.has(bare)) return true;
    const shorter = trimmed(unmarked.replace(BACKUP, ''));
    if (shorter === unmarked) return false;
    unmarked = shorter;
  }
  return false;
}

/** Returns a pattern that matches any of these texts. */
function anyOf(texts: readonly string[]): string {
  return texts.map((text) => text.replaceAll('.', '\\.')).join('|');
}
