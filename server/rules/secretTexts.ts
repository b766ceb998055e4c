// Recognises texts with secrets, which prompts never quote: private keys, password hashes, logins in the formats of
// well-known tools, and tokens of services by their prefixes, as gitleaks lists them. Does not recognise API keys that
// are public by design, nor, except for Amazon and OAuth, values that only the name of their variable marks as secret
// (docs/privacy.md).

/** Language ids of files that are secret by themselves. */
const SECRET_LANGUAGES: readonly string[] = ['dotenv', 'ssh_config'];

/** Matches the beginning of a secret file, after any comments. */
const BEGINNINGS =
  /^\uFEFF?(?:[ \t]*(?:(?:#|;|\/\/)[^\r\n]*)?[\r\n])*(?:-{4,5} ?BEGIN |\$ANSIBLE_VAULT;|age-encryption\.org\/|untrusted comment:.*secret key|machine[ \t]+\S+\s+login\s+\S+\s+password\s)/i;

const HEX = '[\\da-fA-F]';
/**
 * Patterns of tokens. The header of a JWT is limited unless it begins its word, as the search would be slow in a word
 * with many `eyJ`.
 */
const TOKENS = [
  `gh[opsur]_[A-Za-z\\d]{36}|github_pat_\\w{82}`, // GitHub
  `gl(?:pat|ptt|dt|rt|ft|imt|agent|cbt|oas|soat|ffct)-[\\w-]{20,}|GR1348941[\\w-]{20}`, // GitLab
  `xox[abceoprs]-(?:\\d-)?\\d{6,}-[\\w-]{10,}|xox[ar]-(?:\\d-)?[A-Za-z\\d]{20,48}|xoxd-[\\w-]{60,}|xoxe(?:\\.xox[bp])?-\\d-[A-Za-z\\d]{140,}|xapp-\\d-[A-Z\\d]+-\\d+-[a-z\\d]{20,}`,
  `hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z\\d+/]{40,}`,
  `discord(?:app)?\\.com/api/webhooks/\\d{17,20}/[\\w-]{60,}|[a-z\\d]+\\.webhook\\.office\\.com/webhookb2/[a-z\\d-]{36}@[a-z\\d-]{36}/IncomingWebhook/[a-z\\d]{32}`,
  `[rs]k_(?:org_)?(?:live|prod)_[A-Za-z\\d]{16,}|EAAA[A-Z][\\w-]{59}(?![\\w+/=-])|rzp_live_[A-Za-z\\d]{14}|sq0(?:atp|csp)-[\\w-]{22,}|shp(?:at|ca|pa|ss)_${HEX}{32}`, // payments, shops
  `shippo_(?:live|test)_${HEX}{40}|EZ[AT]K[A-Za-z\\d]{54}|FLWSECK(?:_TEST)?-[\\da-z]{12,}|duffel_(?:test|live)_[\\w=-]{43}`,
  `sk-ant-(?:api|admin|oat)\\d\\d-[\\w-]{80,}|sk-(?:proj|svcacct|admin)-[\\w-]{40,}|sk-[A-Za-z\\d]{20}T3BlbkFJ[A-Za-z\\d]{20}`,
  `hf_[A-Za-z]{34}|api_org_[A-Za-z]{34}|pplx-[A-Za-z\\d]{48}|gsk_[A-Za-z\\d]{52}|sk-or-v1-${HEX}{64}|sk-(?:lf-)?[\\da-f]{8}(?:-?[\\da-f]{4}){3}-?[\\da-f]{12}`, // models
  `nvapi-[\\w-]{60,}|pcsk_[A-Za-z\\d]{5,6}_[A-Za-z\\d]{60,}|tgp_v1_[\\w-]{43}|csk-[a-z\\d]{48}|tvly-(?:dev-|prod-)?[A-Za-z\\d]{32}|jina_[A-Za-z\\d]{60}|e2b_${HEX}{40}`,
  `npm_[A-Za-z\\d]{36}|pypi-AgEIcHlwaS5vcmc[\\w-]{50,}|rubygems_${HEX}{48}|CLOJARS_[a-z\\d]{60}`, // packages
  `AKCp[A-Za-z\\d]{69}|cmVmd[A-Za-z\\d]{59}`,
  `SG\\.[\\w.=-]{66}|xkeysib-${HEX}{64}-\\w{16}|\\d{8,10}:AA[\\w-]{33}`, // mail, messages
  `do[opr]_v1_${HEX}{64}|dapi${HEX}{32}|hv[sb]\\.[\\w-]{90,}|dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.]{40,}`, // clouds
  `napi_[a-z\\d]{64}|CCI(?:PAT|PRJ)_[A-Za-z\\d]{22}_${HEX}{40}|bk[ucr]a_${HEX}{40}|ph[xs]_[A-Za-z\\d]{43}|sl\\.(?:u\\.)?[\\w-]{130,}|GOOG1E[A-Z\\d]{55}`,
  `pul-${HEX}{40}|HRKU-AA[\\w-]{58}|[A-Za-z\\d]{14}\\.atlasv1\\.[\\w=-]{60,}|ABSK[A-Za-z\\d+/]{109,}|v1\\.0-${HEX}{24}-${HEX}{146}`,
  `fo1_[\\w-]{43}|fm[12][ar]?_[A-Za-z\\d+/]{100,}|tk-us-[\\w-]{48}|ico-[A-Za-z\\d]{32}|sha256~[\\w-]{43}|[\\w~.]{3}\\dQ~[\\w~.-]{31,34}`,
  `pscale_(?:tkn|oauth|pw)_[\\w.=-]{32,}|pnu_[A-Za-z\\d]{36}|sgp_(?:(?:${HEX}{16}|local)_)?${HEX}{40}|4b1d[A-Za-z\\d]{38}`,
  `lin_api_[A-Za-z\\d]{40}|ntn_\\d{11}[A-Za-z\\d]{35}|PMAK-${HEX}{24}-${HEX}{34}|rdme_[a-z\\d]{70}|fio-u-[\\w=-]{64}`, // teams
  `pat[A-Za-z\\d]{14}\\.[\\da-f]{64}|p8e-[A-Za-z\\d]{32}|EAA[MC][A-Za-z\\d]{100,}|s-s4t2(?:ud|af)-${HEX}{64}|sm_[aps]at_[A-Za-z\\d]{16}`,
  `glsa_[A-Za-z\\d]{32}_${HEX}{8}|glc_[A-Za-z\\d+/]{32,}|eyJrIjoi[A-Za-z\\d]{70,}|dt0c01\\.[A-Za-z\\d]{24}\\.[A-Za-z\\d]{64}`, // monitors
  `sntryu_${HEX}{64}|sntrys_eyJ[\\w+/=]{60,}|(?:pat|sat)\\.[\\w-]{22}\\.[A-Za-z\\d]{24}\\.[A-Za-z\\d]{20}|API-[A-Z\\d]{26}`,
  `(?:eyJ[\\w-]{17,1000}|(?<![\\w-])eyJ[\\w-]{17,})\\.eyJ[\\w-]{17,}\\.[\\w-]{10,}|ya29\\.[\\w-]{50,}|1//0[\\w-]{35,}|GOCSPX-[\\w-]{28}|[rs]k_test_[A-Za-z\\d]{24,}`, // sign-in
  `dckr_(?:pat|oat)_[\\w-]{27,}|sbp_${HEX}{40}|sb_secret_[\\w-]{20,}|nfp_[A-Za-z\\d]{36,}|tskey-[a-z]+-\\w+-\\w{16,}|whsec_[A-Za-z\\d+/]{32,}`,
  `re_(?=\\w{0,32}\\d)[A-Za-z\\d]{8}_[A-Za-z\\d]{24}(?!\\w)|rnd_(?=[A-Za-z]{0,27}\\d)[A-Za-z\\d]{28}(?!\\w)|sk_[\\da-f]{48}|vercel_blob_rw_[A-Za-z\\d]{16}_[A-Za-z\\d]{30}|wandb_v1_\\w{77}|sk\\.eyJ[\\w-]{40,}\\.[\\w-]{22}|cio[A-Za-z\\d]{32}(?!\\w)`,
  `r8_[A-Za-z\\d]{37}|xai-[A-Za-z\\d]{70,}|lsv2_(?:pt|sk)_${HEX}{32}_${HEX}{10}|figd_[\\w-]{40}|CFPAT-[\\w-]{43}|secret_[A-Za-z\\d]{43}`,
  `AT[AC]TT3[\\w=-]{100,}|ATBB[A-Za-z\\d]{32}|sq[uap]_${HEX}{40}|tfp_[\\w.=-]{59}|NRAK-[A-Z\\d]{27}|NRII-[\\w-]{32}|AQVN[\\w-]{35,38}`,
  `SK${HEX}{32}|dnkey-[\\w=-]{26}-[\\w=-]{52}|access-(?:sandbox|development|production)-${HEX}{8}-[\\da-f-]{27}`,
  `[MNO][A-Za-z\\d]{23,25}\\.[\\w-]{6}\\.[\\w-]{27,38}|bedrock-api-key-[A-Za-z\\d+/]{40,}|ops_eyJ[A-Za-z\\d+/]{250,}|A3-[A-Z\\d]{6}-[A-Z\\d]{6}-?[A-Z\\d]{5}(?:-[A-Z\\d]{5}){3}|[A-Za-z\\d]{6}_[A-Za-z\\d]{29}_mmk`,
].join('|');
/** Amazon's secret, after a name that its tools and libraries use; shorter values only after the full name. */
const AWS =
  /(?:aws_?secret_?access_?key["' ]*[:=]>? *["']?(?=[a-z+/]*\d)[a-z\d+/]{16,}|secret_?(?:access_?)?key["' ]*[:=]>? *["']?(?=[a-z+/]*\d)[a-z\d+/]{40})(?![\w.([{+/-])/;
/** Secrets and refresh tokens of OAuth, in quotes or up to the end of their field. */
const OAUTH =
  /(?:client[_.-]?secret|refresh[_.-]?token)(?:["'] *[:=]>? *["']|["']? *[:=]>? *["']| *= *| *: +)(?=[\w~+/-]*\d)[\w~+/-]{20,}=*(?=["'\s,;]|$)/;
/** Minimum different characters of a secret; texts with fewer are placeholders: "xxxx", "00000000". */
const MIN_CHARACTERS = 10;
/** Matches placeholders; the last three words are from jwt.io's and PyJWT's sample tokens and from RFC 6749. */
const PLACEHOLDER =
  /example|your|dummy|placeholder|1234567890|abcdefghij|eyJzdWIiOiIxMjM0NTY3ODkwIi|eyJzb21lIjoicGF5bG9hZCJ9|tGzv3JOkF0XG/i;
/** Characters of the shortest token. */
const MIN_TOKEN_LENGTH = 20;
/** 1 for the codes of characters that occur in tokens. */
const IS_TOKEN_CHARACTER = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.~+/=@:-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const TOKEN = new RegExp(`(?<![A-Za-z\\d])(?:${TOKENS})`, 'g');

/** Matches passwords that are not secrets: those of examples and local databases, and very short ones. */
const HARMLESS_PASSWORD =
  /^(?:.{0,5}|.*(?:pass|pwd|secret|change|replace|your|user|admin|root|test|sample|foo|bar|xxx|\*\*|postgres|mysql|redis|guest|anon|demo|local|hidden|redacted).*)$/i;
/**
 * Schemes of addresses with logins: all except those of web pages, as examples in documentation often have a login, and
 * `github`, whose addresses begin with owner:repository@branch.
 */
const SCHEME = '(?<!\\w)[a-z][\\w+.-]{1,30}(?<!\\b(?:https?|github))';

/** A sign of a secret in a text. */
interface Sign {
  /** Texts without any of these words are skipped; searching for them first is a hundred times faster. */
  readonly words: readonly string[];
  readonly pattern: RegExp;
  /** Whether a match counts only if its last word looks random. */
  readonly isRandom?: boolean;
  /** Whether a match counts only if its group is no HARMLESS_PASSWORD. */
  readonly isPassword?: boolean;
}

/**
 * "PRIVATE KEY" in Base64 after 3n, 3n + 1 and 3n + 2 bytes, as in Kubernetes, and the starts of OpenSSH's keys, of
 * JWTs whose header begins with `alg`, `typ` or `kid`, and of Docker's logins.
 */
const IN_BASE64 = [
  'UFJJVkFURSBLRV',
  'BSSVZBVEUgS0VZ',
  'QUklWQVRFIEtF',
  'b3BlbnNzaC1rZXktdjE',
  'ZXlKaGJHY2lPaU',
  'ZXlKMGVYQWlPaU',
  'ZXlKcmFXUWlPaU',
  'eyJhdXRocyI6ey',
];

const SIGNS: readonly Sign[] = [
  {
    words: ['----'],
    // Text from web pages can contain other kinds of blanks, such as non-breaking spaces. A header before
    // anything but a key, such as the end of a string, is code or a page about keys.
    pattern:
      /---- ?BEGIN[^\r\n-]{0,40}?[^\S\r\n](?:PRIVATE[^\S\r\n]+KEY|Static key)(?!(?: BLOCK)? ?-+(?!-)(?:\\+[nr]|[ \t])*(?:X{4}|[^\s\w+\\](?![\s\S]{0,300}?[A-Za-z\d+/]{40})))/gi,
  },
  { words: IN_BASE64, pattern: new RegExp(IN_BASE64.join('|'), 'g') },
  { words: [':_'], pattern: /:_(?:authToken|auth|password) *= *["']?(?=[\w+/=-]*\d)[\w+/=-]{16,}/g }, // npm
  {
    words: ['Key='],
    pattern: /AccountKey=[A-Za-z\d+/]{86}==|SharedAccessKey=[A-Za-z\d+/]{43}=/g,
  }, // Azure
  { words: ['sig='], pattern: /[?&]s[ve]=[^\s"']{0,400}&sig=[A-Za-z\d%+/]{43,}(?:=|%3D)/gi },
  { words: ['AGE-SECRET-KEY-'], pattern: /AGE-SECRET-KEY-(?:PQ-)?1\w{8}/g },
  { words: ['PuTTY-User-Key-File-'], pattern: /^[^\w\n]*PuTTY-User-Key-File-\d+:/gm },
  { words: ['client-key-data:'], pattern: /^[^\S\n]*client-key-data: *\S{16}/gm },
  { words: ['PrivateKey', 'PresharedKey'], pattern: /^[^\S\n]*(?:Private|Preshared)Key *= *[\w+/]{42,}=/gm },
  {
    words: ['ecret', 'ECRET', 'fresh', 'FRESH'],
    pattern: new RegExp(`${AWS.source}|${OAUTH.source}`, 'gi'),
    isRandom: true,
  },
  {
    words: ['://'],
    pattern: new RegExp(
      `://(?<=${SCHEME}://)[^\\s:/@"'\`<>]{0,64}:([^\\s/@"'\`{}$<>()]{6,200})@(?!sha\\d+:)[\\w[]`,
      'g',
    ),
    isPassword: true,
  },
  {
    words: ['assword=', 'ASSWORD=', 'pwd=', 'Pwd=', 'PWD='],
    pattern:
      /(?:jdbc:\w+:[^\s"']{0,200}[?&;]|(?:Server|Data Source|Host)=[^"'\n]{0,200};\s*)(?:password|pwd)=([^\s;"'&{}$<>()]{6,})/gi,
    isPassword: true,
  },
  // Logins of Docker, including those from other tools
  { words: ['"auths"'], pattern: /"(?:auth|identitytoken)"\s*:\s*"[\w+/.-]{8,}/g },
  // Hashes of passwords: bcrypt, crypt, Argon2, scrypt, PHPass, Drupal, Cisco, Django, Werkzeug, LDAP, PostgreSQL, GRUB
  // and Windows
  {
    words: [
      '$2',
      '$1$',
      '$5$',
      '$6$',
      '$y$',
      '$gy$',
      '$7$',
      '$apr1$',
      '$argon2',
      '$scrypt$',
      '$pbkdf2',
      '$P$',
      '$H$',
      '$S$',
      '$8$',
      '$9$',
    ],
    pattern:
      /\$(?:2[abxy]?\$\d\d\$[./A-Za-z\d]{53}|(?:1|apr1)\$[./\w]{1,8}\$[./A-Za-z\d]{22}|[56]\$(?:rounds=\d+\$)?[./\w-]{1,16}\$[./A-Za-z\d]{43,86}|(?:gy|y|7)\$[./\w]+\$[./\w]*\$[./A-Za-z\d]{43}|argon2(?:id|i|d)\$v=\d+\$m=[\w,=]+\$[A-Za-z\d+/]{11,}\$[A-Za-z\d+/]{16,}|scrypt\$[\w,=]+\$[\w+/]{8,}={0,2}\$[\w+/]{16,}|pbkdf2-[\w-]+\$\d+\$[\w./+]+\$[\w./+]{16,}|[PH]\$[./A-Za-z\d]{31}|S\$[./A-Za-z\d]{52}|[89]\$[./A-Za-z\d]{14}\$[./A-Za-z\d]{43})(?![./A-Za-z\d])/g,
  },
  {
    words: ['pbkdf2', 'scrypt:', '{SSHA', '{SHA', ':::', 'SCRAM-SHA-'],
    pattern:
      /SCRAM-SHA-\d+\$\d+:[\w+/=]+\$[\w+/]{27,}|grub\.pbkdf2\.sha\d+\.\d+\.[\dA-F]{64}|pbkdf2_sha\d+\$\d+\$\w+\$[A-Za-z\d+/]{20,}|(?:pbkdf2:sha\d+:\d+|scrypt:\d+:\d+:\d+)\$\w+\$[\da-f]{40,}|\{S?SHA\d*\}[A-Za-z\d+/]{20,}|:[\da-f]{32}:[\da-f]{32}:::/gi,
  },
  { words: ['-us'], pattern: /(?<![\w-])[\da-f]{32}-us\d\d?(?![\w-])/g }, // Mailchimp
  { words: ['<RSAK', '<DSAK'], pattern: /<(?:D|InverseQ|X|PrivateKey)>\s*[A-Za-z\d+/][A-Za-z\d+/\s]{22,}/g },
  { words: ['ClearTextPassword'], pattern: /ClearTextPassword"\s+value="([^"%$]{6,})"/gi, isPassword: true },
  // The manifest of a Kubernetes Secret
  {
    words: ['kind: Secret', 'kind: "Secret"', "kind: 'Secret'"],
    pattern:
      /^[ \t]*(?:stringData: *\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[ \t]+[\w.-]+: *["']?[^\s"'{$<#][^\r\n{$<]{5,}|data: *\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[ \t]+[\w.-]+: *["']?[A-Za-z\d+/]{8,}={0,2}["']?[ \t]*$)/gm,
  },
  // The same in JSON
  {
    words: ['"kind":"Secret"', '"kind": "Secret"', '"kind" : "Secret"'],
    pattern:
      /"stringData"\s*:\s*\{\s*"[\w.-]+"\s*:\s*"[^\s"{$<][^"{$<]{5,}|"data"\s*:\s*\{\s*"[\w.-]+"\s*:\s*"[A-Za-z\d+/]{8,}={0,2}"/g,
  },
  // Amazon's secret next to its id
  {
    words: ['AKIA', 'ASIA'],
    pattern: /(?:AKIA|ASIA)[A-Z2-7]{16}[^\w\n]{1,4}[A-Za-z\d+/]{40}/g,
    isRandom: true,
  },
];

/** Returns whether the text of a file, or a part of it, contains a secret. */
export function isSecretText(languageId: string, text: string): boolean {
  return (
    SECRET_LANGUAGES.includes(languageId) ||
    BEGINNINGS.test(text) ||
    // A private JSON Web Key
    (text.includes('"kty"') && /"[dk]" *: *"[\w-]{16,}"/.test(text)) ||
    // A kubeconfig with a login
    (/apiVersion: *["']?v1/.test(text) &&
      /^kind: *["']?Config\b/m.test(text) &&
      /^[ \t]*(?:token|password): *["']?[^\s"'{$<]{8,}/m.test(text)) ||
    SIGNS.some((sign) => hasSign(text, sign)) ||
    hasToken(text)
  );
}

function hasSign(text: string, { words, pattern, isRandom, isPassword }: Sign): boolean {
  if (!words.some((word) => text.includes(word))) return false;
  if (isPassword)
    return [...text.matchAll(pattern)].some(([, password = '']) => !HARMLESS_PASSWORD.test(password));
  const found = text.match(pattern) ?? [];
  return isRandom
    ? found.some((match) => isRandomText(/[\w~+/-]*=*$/.exec(match)?.[0] ?? ''))
    : found.length > 0;
}

/**
 * Returns whether a text contains a token, in a run of token characters. Finds runs by checking each 20th character, as
 * shorter runs have no token.
 */
function hasToken(text: string): boolean {
  const isTokenCharacter = (i: number): boolean => IS_TOKEN_CHARACTER[text.charCodeAt(i)] === 1;
  for (let i = MIN_TOKEN_LENGTH - 1; i < text.length; i += MIN_TOKEN_LENGTH) {
    if (!isTokenCharacter(i)) continue;
    let start = i;
    while (isTokenCharacter(start - 1)) start -= 1;
    while (isTokenCharacter(i + 1)) i += 1;
    if (i - start + 1 < MIN_TOKEN_LENGTH) continue;
    const tokens = text.slice(start, i + 1).match(TOKEN) ?? [];
    // A placeholder can come before a token: sk_test_xxxxxxxx:sk_live_...
    if (tokens.some(isRandomText)) return true;
  }
  return false;
}

/** Returns whether a text is not a placeholder. */
function isRandomText(text: string): boolean {
  return new Set(text).size >= MIN_CHARACTERS && !PLACEHOLDER.test(text);
}

const BASE64_LINES = [64, 70, 76].map((width) => `(?:^[-+ \\t]*[A-Za-z\\d+/]{${String(width)}}\\r?\\n){3}`);
/** Matches three lines of a key, as in a diff or a definition that shows only its middle. */
const MIDDLE = new RegExp(`^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?:${BASE64_LINES.join('|')})`, 'm');

/** Returns whether a part of a text looks like the middle of a key. */
export function isMiddleOfKey(part: string): boolean {
  return MIDDLE.test(part);
}
