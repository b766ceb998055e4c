// Secret files, which no prompt may quote: recognised by names and folders here, and by their text below. The
// names are those of well-known tools, of GitHub's templates for .gitignore, and most of shhgit's list of 2020, a scanner
// for secrets. No list is complete.

/** Of files that hold data: code about secrets is code. */
const DATA =
  'json[5c]?|ya?ml|toml|ini|cfg|conf(ig)?|cnf|te?xt|prop(ertie)?s|xml|plist|[ct]sv|db|dat|env|enc|local|exs|b64';
const CODE =
  '(d\\.)?[cm]?[jt]sx?|pyi?|rb|go|rs|java|kts?|swift|php|cs|[ch](pp|c|h)?|html?|s?css|mdx?|vue|svelte|sh|ipynb';
const STAGE =
  'prod|production|dev|devel|development|stage|staging|test|testing|qa|uat|ci|local|private|shared|default|docker|example|sample|template|\\d+';
const ALGORITHM = '(rsa|dsa|ecdsa|ed25519)';
const START = '(^|[ ._-])';
const KEY = '(api|private|secret|access|encryption|auth)[ ._-]?keys?';
const WORD = `${START}(secrets?|credentials?|creds|passwords?|passwd|passphrases?|${KEY})`;

/** Of names in lower case, without marks of a backup. */
const NAME = new RegExp(
  [
    '^\\.env', // .env.local, .envrc
    `\\.env(\\.(?!(${CODE})$).+)?$`,
    `^env(\\.(${STAGE}))*$`,
    `^\\.(${'secrets?|credentials?|passwords?|tokens?'})(\\.|$)`,
    '^\\.([\\w.-]+[_.-]history|rhistory|histfile)$',
    '\\.(pem|key|p12|pfx|p8|pk8|pkcs(8|12)|pvk|snk|crt|cer|der|csr|jks|jceks|bks|keystore|truststore|keytab|keychain(-db)?)$',
    '\\.(kdbx?|psafe3|agilekeychain|1pif|ppk|gpg|pgp|asc|age|jwks?|ovpn|mobileprovision|publishsettings|cscfg)$',
    '\\.(rdp|bek|tpm|fve|kwallet|keyring|keypair|tblk|pubxml|sso)$',
    '\\.(tfvars|tfstate|tfrc|pkrvars)(\\..*)?$',
    `(^|_)id_${ALGORITHM}(_sk)?([_-][\\w-]*)?$`,
    `[._-]${ALGORITHM}(_key)?$`,
    `${START}(deploy|ssh|host|server|signing|master)[._-]?key$`,
    // db_password.txt, secrets.dev.yaml, aws_credentials
    `${WORD}([._-](${STAGE}|keys?|file))*(\\.[\\w-]+)*?\\.(${DATA})$`,
    `${WORD}$`,
    `${START}((access|refresh|auth|oauth2?|api|bearer|bot|github|vault)[._-]?)?token(\\.(${DATA}))?$`,
    `${START}(client[._-]secret|service[._-]?account|gcp[._-]key|firebase[._-]adminsdk|default[._-]credentials).*\\.json$`,
    `${START}kubeconfig([._-].*)?(?<!\\.(${CODE}))$`,
    `${START}vault([._-]pass(word)?(\\.(${DATA}))?|\\.ya?ml)$`,
  ].join('|'),
);
/** Of names in lower case without the dot that most of them begin with. */
const TOOL = new RegExp(
  `^(${[
    'netrc|pgpass(\\.conf)?|my(login)?\\.cnf',
    '(p?npm|yarn|pypi|gem|terraform|conda|msmtp|fetchmail|getmail|curl)rc|yarnrc\\.yml|terraform\\.rc|databrickscfg',
    'htpasswd|htdigest|g?shadow|passwd-s3fs|pwd|authorized_keys|git-credentials|dockercfg|dockerconfigjson',
    'boto|s3cfg|rclone\\.conf|cargo-credentials|erlang\\.cookie|dev\\.vars(\\..*)?|(flask|pow)env|renviron',
    'pip\\.(conf|ini)|wg\\d+\\.conf|wireguard.*\\.conf|prod\\.secret\\.exs|secret_token\\.rb|local_settings\\.py',
    '(wp-config|localsettings)\\.php|local\\.settings\\.json|appsettings\\.(prod(uction)?|staging|local|secrets)\\.json',
    'google-services\\.json|googleservice-info\\.plist|(key|keystore|signing|local)\\.properties',
    '(sftp(-config(-alt\\d*)?)?|remote-sync)\\.json|ftpconfig|(filezilla|sitemanager|recentservers|datasources\\.local)\\.xml',
    'logins(-backup)?\\.json|key[34]\\.db|wallet\\.dat|muttrc|trc|tugboat|exports|extra|zhistory|config\\.inc\\.php',
    'connectionstrings\\.config|dbeaver-data-sources\\.xml|robomongo\\.json|otr\\.private_key|proftpdpasswd',
    'httr-oauth|github\\.sublime-settings|ventrilo_srv\\.ini|.*publish_over_\\w+[\\w.]*\\.xml',
  ].join('|')})$`,
);
const PLACE = new RegExp(
  [
    '/\\.(ssh|gnupg|gpg|aws|azure|kube|docker|password-store|secrets?|envs|env\\.d|oci|aliyun|chef|aptos|abstra)/',
    '/run/secrets/|/proc/[^/]+/(task/[^/]+/)?environ$',
    '/\\.config/(gh|hub|gcloud|doctl|op|rclone|heroku)/|/doctl/config\\.ya?ml$|/config/hub$',
    '/\\.?(purple/accounts\\.xml|irssi/config|recon-ng/keys\\.db)$',
    '/\\.m2/settings(-security)?\\.xml$|/\\.gradle/gradle\\.properties$|/app/etc/env\\.php$',
    '/sites/[^/]+/([^/]*settings[^/]*\\.php|[^/]*services[^/]*\\.yml)$|/nbproject/private/|/\\.emacs\\.d/server/',
    // Composer's, beside its manifest; a translation of a page otherwise.
    '(?<!/(i18n|lang|languages?|locales?|messages|translations?)(/.*)?)/auth\\.json$',
  ].join('|'),
);
/** What people and programs put behind the name of a copy. */
const BACKUP =
  /(~|#|(?<=.)-|\.(bak\d*|backup|old|orig(inal)?|saved?|sav|sw[a-p]|te?mp|copy|rej|prev(ious)?|new|disabled|enc|git|gz|zip|\d+|~\d+~)|[ ._-]+(copy|bak|backup|old|orig)|\(\d+\)?)$/;
const COPY = /^copy of | ?(-? ?copy|\(\d+\))(?=\.)/g;

/** No file system has longer ones, and a pattern takes long for them. */
const LONGEST_PATH = 4096;
const LONGEST_NAME = 255;
const MOST_MARKS = 8;

/** Paths known to be secret or not; decided at every key otherwise. */
const decided = new Map<string, boolean>();
const MOST_DECIDED = 1000;

/** `named` may be a name, a path with slashes or backslashes, or a URI, encoded or not. */
export function isSecretPath(named: string): boolean {
  const path = named.slice(-LONGEST_PATH);
  const known = decided.get(path);
  if (known !== undefined) return known;
  if (decided.size >= MOST_DECIDED) decided.clear();
  const isSecret = decide(path);
  decided.set(path, isSecret);
  return isSecret;
}

function decide(path: string): boolean {
  const plain = plainPath(path);
  // Control characters are left out by some programs and end a name for others, as do queries and drives.
  const readings = [plain.replace(/\p{Cc}/gu, ''), ...plain.split(/[?#:\p{Cc}]/u)];
  return readings.some((reading) => {
    const parts = reading
      .split('/')
      .filter((part) => part.trim() !== '')
      .map(trimmed);
    return PLACE.test(`/${parts.join('/')}`) || isSecretName(parts.at(-1) ?? '');
  });
}

/** In lower case and with slashes; without escapes, invisible characters and other forms of the same letters. */
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

/** Blanks and dots at the end are nothing to Windows, and quotes are not part of a name. */
function trimmed(name: string): string {
  return name.replace(/^[\s"'`([{<]+|[\s."'`)\]}>,;]+$/g, '');
}

function isSecretName(name: string): boolean {
  let left = name.slice(-LONGEST_NAME).replace(COPY, '');
  for (let marks = 0; marks < MOST_MARKS && left !== ''; marks++) {
    const bare = left.replace(/^[._#~$]+/, '');
    if ([left, bare].some((each) => NAME.test(each)) || TOOL.test(bare)) return true;
    const before = trimmed(left.replace(BACKUP, ''));
    if (before === left) return false;
    left = before;
  }
  return false;
}

// Texts that hold secrets, which no prompt may quote: private keys by their headers, and the tokens of services by the
// prefixes that their makers gave them, as gitleaks lists them. Keys that web pages are meant to show are not among them.

const LANGUAGES: readonly string[] = ['dotenv', 'ssh_config'];

/** Behind what a comment may say. */
const FIRST =
  /^\uFEFF?(?:[ \t]*(?:(?:#|;|\/\/)[^\r\n]*)?[\r\n])*(?:-{4,5} ?BEGIN |\$ANSIBLE_VAULT;|age-encryption\.org\/|untrusted comment:.*secret key)/i;

const HEX = '[\\da-fA-F]';
const TOKENS = [
  `gh[opsur]_[A-Za-z\\d]{36}|github_pat_\\w{82}`, // GitHub
  `gl(?:pat|ptt|dt|rt|ft|imt|agent|cbt|oas|soat|ffct)-[\\w-]{20,}|GR1348941[\\w-]{20}`, // GitLab
  `xox[abeoprs]-(?:\\d-)?\\d{6,}-[\\w-]{10,}|xoxe(?:\\.xox[bp])?-\\d-[A-Za-z\\d]{140,}|xapp-\\d-[A-Z\\d]+-\\d+-[a-z\\d]{20,}`,
  `hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z\\d+/]{40,}`,
  `[a-z\\d]+\\.webhook\\.office\\.com/webhookb2/[a-z\\d-]{36}@[a-z\\d-]{36}/IncomingWebhook/[a-z\\d]{32}`,
  `[rs]k_(?:live|prod)_[A-Za-z\\d]{16,}|sq0(?:atp|csp)-[\\w-]{22,}|shp(?:at|ca|pa|ss)_${HEX}{32}`, // payments, shops
  `shippo_(?:live|test)_${HEX}{40}|EZ[AT]K[A-Za-z\\d]{54}|FLWSECK(?:_TEST)?-[\\da-z]{12,}|duffel_(?:test|live)_[\\w=-]{43}`,
  `sk-ant-(?:api|admin|oat)\\d\\d-[\\w-]{80,}|sk-(?:proj|svcacct|admin)-[\\w-]{40,}|sk-[A-Za-z\\d]{20}T3BlbkFJ[A-Za-z\\d]{20}`,
  `hf_[A-Za-z]{34}|api_org_[A-Za-z]{34}|pplx-[A-Za-z\\d]{48}|gsk_[A-Za-z\\d]{52}`, // models
  `npm_[A-Za-z\\d]{36}|pypi-AgEIcHlwaS5vcmc[\\w-]{50,}|rubygems_${HEX}{48}|CLOJARS_[a-z\\d]{60}`, // packages
  `AKCp[A-Za-z\\d]{69}|cmVmd[A-Za-z\\d]{59}`,
  `SG\\.[\\w.=-]{66}|xkeysib-${HEX}{64}-\\w{16}|\\d{8,10}:AA[\\w-]{33}`, // mail, messages
  `do[opr]_v1_${HEX}{64}|dapi${HEX}{32}|hv[sb]\\.[\\w-]{90,}|dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.]{40,}`, // clouds
  `pul-${HEX}{40}|HRKU-AA[\\w-]{58}|[A-Za-z\\d]{14}\\.atlasv1\\.[\\w=-]{60,}|ABSK[A-Za-z\\d+/]{109,}|v1\\.0-${HEX}{24}-${HEX}{146}`,
  `fo1_[\\w-]{43}|fm[12][ar]?_[A-Za-z\\d+/]{100,}|tk-us-[\\w-]{48}|ico-[A-Za-z\\d]{32}|sha256~[\\w-]{43}|[\\w~.]{3}\\dQ~[\\w~.-]{31,34}`,
  `pscale_(?:tkn|oauth|pw)_[\\w.=-]{32,}|pnu_[A-Za-z\\d]{36}|sgp_(?:(?:${HEX}{16}|local)_)?${HEX}{40}|4b1d[A-Za-z\\d]{38}`,
  `lin_api_[A-Za-z\\d]{40}|ntn_\\d{11}[A-Za-z\\d]{35}|PMAK-${HEX}{24}-${HEX}{34}|rdme_[a-z\\d]{70}|fio-u-[\\w=-]{64}`, // teams
  `pat[A-Za-z\\d]{14}\\.[\\da-f]{64}|p8e-[A-Za-z\\d]{32}|EAA[MC][A-Za-z\\d]{100,}|s-s4t2(?:ud|af)-${HEX}{64}|sm_[aps]at_[A-Za-z\\d]{16}`,
  `glsa_[A-Za-z\\d]{32}_${HEX}{8}|glc_[A-Za-z\\d+/]{32,}|eyJrIjoi[A-Za-z\\d]{70,}|dt0c01\\.[A-Za-z\\d]{24}\\.[A-Za-z\\d]{64}`, // monitors
  `sntryu_${HEX}{64}|sntrys_eyJ[\\w+/=]{60,}|(?:pat|sat)\\.[\\w-]{22}\\.[A-Za-z\\d]{24}\\.[A-Za-z\\d]{20}|API-[A-Z\\d]{26}`,
  `ops_eyJ[A-Za-z\\d+/]{250,}|A3-[A-Z\\d]{6}-[A-Z\\d]{6}-?[A-Z\\d]{5}(?:-[A-Z\\d]{5}){3}|[A-Za-z\\d]{6}_[A-Za-z\\d]{29}_mmk`,
].join('|');
/** Amazon's secret under the names that its tools and libraries have for it; a shorter one only under the whole name. */
const AWS =
  /(?:aws_?secret_?access_?key["' ]*[:=]>? *["']?(?=[a-z+/]*\d)[a-z\d+/]{16,}|secret_?(?:access_?)?key["' ]*[:=]>? *["']?(?=[a-z+/]*\d)[a-z\d+/]{40})(?![\w.([{+/-])/gi;
/** Fewer different characters stand for a token: "xxxx", "00000000". */
const FEWEST_CHARACTERS = 10;
const STANDS_FOR_ONE = /example|your|dummy|placeholder|1234567890|abcdefghij/i;
/** The shortest token, and what tokens are made of. */
const SHORTEST = 20;
const IN_TOKEN = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.~+/=@:-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const TOKEN = new RegExp(`(?<![A-Za-z\\d])(?:${TOKENS})`);

interface Sign {
  /** One of them is in every match: to look for them first is a hundred times faster. */
  readonly words: readonly string[];
  readonly pattern: RegExp;
  readonly isRandom?: boolean;
}

/** "PRIVATE KEY" in Base64 behind 3n, 3n + 1 and 3n + 2 bytes, as Kubernetes has keys, and how OpenSSH's begin. */
const IN_BASE64 = ['UFJJVkFURSBLRV', 'BSSVZBVEUgS0VZ', 'QUklWQVRFIEtF', 'b3BlbnNzaC1rZXktdjE'];

const SIGNS: readonly Sign[] = [
  {
    words: ['---BEGIN', '--- BEGIN', '---begin', '--- begin', '---Begin', '--- Begin'],
    // Web pages have blanks of other kinds.
    pattern: /---- ?BEGIN[^\r\n-]{0,40}?[^\S\r\n](?:PRIVATE[^\S\r\n]+KEY|Static key)/gi,
  },
  { words: IN_BASE64, pattern: new RegExp(IN_BASE64.join('|'), 'g') },
  { words: [':_'], pattern: /:_(?:authToken|auth|password) *= *["']?(?=[\w+/=-]*\d)[\w+/=-]{16,}/g }, // npm
  {
    words: ['AccountKey=', 'SharedAccessKey='],
    pattern: /AccountKey=[A-Za-z\d+/]{86}==|SharedAccessKey=[A-Za-z\d+/]{43}=/g,
  }, // Azure
  { words: ['AGE-SECRET-KEY-'], pattern: /AGE-SECRET-KEY-(?:PQ-)?1\w{8}/g },
  { words: ['PuTTY-User-Key-File-'], pattern: /^[^\w\n]*PuTTY-User-Key-File-\d+:/gm },
  { words: ['client-key-data:'], pattern: /^[^\S\n]*client-key-data: *\S{16}/gm },
  { words: ['PrivateKey'], pattern: /^[^\S\n]*PrivateKey *= *[\w+/]{42,}=/gm },
  { words: ['ecret', 'ECRET'], pattern: AWS, isRandom: true },
  // Amazon's secret beside its id
  {
    words: ['AKIA', 'ASIA'],
    pattern: /(?:AKIA|ASIA)[A-Z2-7]{16}[^\w\n]{1,4}[A-Za-z\d+/]{40}/g,
    isRandom: true,
  },
];

/** `text` is as much of it as is known. */
export function isSecretText(languageId: string, text: string): boolean {
  return (
    LANGUAGES.includes(languageId) ||
    FIRST.test(text) ||
    // A private JSON Web Key.
    (text.includes('"kty"') && /"[dk]" *: *"[\w-]{16,}"/.test(text)) ||
    SIGNS.some((sign) => hasSign(text, sign)) ||
    hasToken(text)
  );
}

function hasSign(text: string, { words, pattern, isRandom }: Sign): boolean {
  if (!words.some((word) => text.includes(word))) return false;
  const found = text.match(pattern) ?? [];
  return isRandom ? found.some((each) => isRandomText(/[\w+/]*$/.exec(each)?.[0] ?? '')) : found.length > 0;
}

/** Whether a long run of the characters of tokens holds one. Looks at every 20th character of other text. */
function hasToken(text: string): boolean {
  const isIn = (i: number): boolean => IN_TOKEN[text.charCodeAt(i)] === 1;
  for (let i = SHORTEST - 1; i < text.length; i += SHORTEST) {
    if (!isIn(i)) continue;
    let start = i;
    while (isIn(start - 1)) start -= 1;
    while (isIn(i + 1)) i += 1;
    if (i - start + 1 < SHORTEST) continue;
    const [token = ''] = TOKEN.exec(text.slice(start, i + 1)) ?? [];
    if (isRandomText(token)) return true;
  }
  return false;
}

function isRandomText(text: string): boolean {
  return new Set(text).size >= FEWEST_CHARACTERS && !STANDS_FOR_ONE.test(text);
}

const BASE64_LINES = [64, 70, 76].map((width) => `(?:^[-+ \\t]*[A-Za-z\\d+/]{${String(width)}}\\r?\\n){3}`);
/** Lines as keys have them, of which a diff or a definition may show the middle alone. */
const MIDDLE = new RegExp(`^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?:${BASE64_LINES.join('|')})`, 'm');

/** Whether a part of a text may be one of a key. */
export function isMiddleOfKey(part: string): boolean {
  return MIDDLE.test(part);
}

// Hidden files, which no prompt may quote because they are binary or generated: known by name and size. The extension keeps
// them from the server, and the server from its models, whatever editor sends them.

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

/** Whether it has more of what stands for bytes that are not text than words of another encoding have. */
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
