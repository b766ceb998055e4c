// Secret files, which no prompt may quote: recognised by names and folders here, and by their text in secretTexts.ts. The
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
