// Recognises the paths of secret files, which prompts never quote: names of keys, environments and credential stores,
// and the folders of tools that store them. Sources: the manuals of these tools, GitHub's templates for .gitignore, and
// the 2020 list of shhgit, a scanner for secrets. No list is complete: docs/privacy.md lists the gaps.

/** Extensions of data files, which can hold secrets. Code about secrets is not secret. */
const DATA =
  'json[5c]?|ya?ml|toml|ini|cfg|conf(ig)?|cnf|te?xt|prop(ertie)?s|xml|plist|[ct]sv|db|dat|env|enc|local|exs|b64';
const CODE =
  '(d\\.)?[cm]?[jt]sx?|pyi?|rb|go|rs|java|kts?|swift|php|cs|[ch](pp|c|h)?|html?|s?css|mdx?|vue|svelte|sh|ipynb';
const STAGE =
  'prod|production|dev|devel|development|stage|staging|test|testing|qa|uat|ci|local|private|shared|default|docker|example|sample|template|\\d+';
const ALGORITHM = '(rsa|dsa|ecdsa|ed25519|ed448|xmss)';
const START = '(^|[ ._-])';
const KEY = '(api|private|priv|secret|access|encryption|auth)[ ._-]?keys?';
/** Extensions of keys, and of files that are encrypted with a password. */
const KEY_FILE = [
  'pem|key|p12|pfx|p8|pk8|pkcs(8|12)|pvk|snk|crt|cer|der|csr|jks|jceks|bks|bcfks|keystore|truststore|keytab',
  'keychain(-db)?|kdbx?|psafe3|agilekeychain|opvault|enpassdb|1pif|1pux|ppk|gpg|pgp|asc|age|jwks?|jwt|ovpn|openvpn',
  'mobileprovision|provisionprofile|mobileconfig|publishsettings|cscfg|rdp|rdg|remmina|nmconnection|bek|tpm|fve|kwallet',
  'keyring|keypair|tblk|pubxml(\\.user)?|sso|sshkey|privkey|seckey|psk|pass|passwd|azureauth|tfplan|macaroon|kwl|tfbackend',
].join('|');
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
    `\\.(${KEY_FILE})(\\.(te?xt|json|b64|base64|dat|out))*$`,
    `(^|_)id_${ALGORITHM}(_sk)?\\.(te?xt|json|b64|base64|dat|out)$`,
    // Ethereum's key files begin with their time.
    '^utc--\\d{4}-',
    '^env(-config)?\\.json$|^env-config\\.js$',
    `^private\\.(${DATA})$|^auth\\.json$`,
    '(^|[._-])sops\\.(ya?ml|json|ini)$',
    `${START}(recovery|backup)[ ._-]?(codes?|phrase|seed)(\\.(${DATA}))?$`,
    `${START}(mnemonic|seed[ ._-]?phrase)s?(\\.(${DATA}))?$`,
    '^(bitwarden|lastpass|1password|keepass|dashlane|protonpass).*\\.(csv|json|xml)$',
    '^msal_(token|http)_cache|^accesstokens\\.json$|^cookies?(jar)?\\.(te?xt|json|sqlite|jar|db)$|^cookie-?jar$',
    '^krb5cc_|^\\.b2_account_info$|^token\\.pickle$|^oauth2?[._-]?(creds?|tokens?)\\.json$',
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
    '^(k3s|rke2?|k0s)\\.ya?ml$|^(super-)?admin\\.conf$|^(kubelet|controller-manager|scheduler)\\.conf$|^talosconfig$',
    `${START}vault([._-]pass(word)?(\\.(${DATA}))?|\\.ya?ml)$`,
    // Without the dot, gist and ssh are programs, whose manual pages and completions are not secret.
    '^\\W*\\.(gist|ssh)$|^ssh([ ._-].*)?\\.(zip|tar|tgz|tbz2?|txz|7z|rar)$',
  ].join('|'),
);
/** Matches names of secret files of tools, in lower case and without the dot with which most begin. */
const TOOL_FILE = new RegExp(
  `^(${[
    `netrc([._-](?!(${CODE})$)[\\w.-]+)?`,
    'authinfo|pgpass(\\.conf)?|pg_service\\.conf|my(login)?\\.cnf|rediscli_auth|cqlshrc|s3curl|smbcredentials',
    'sasl_passwd|sasldb2|(chap|pap|ipsec)[.-]secrets|wpa_supplicant(-.*)?\\.conf|opasswd|master\\.passwd|ssmtp\\.conf',
    'google_authenticator|iceauthority|xauthority|shosts|saml2aws|sentryclirc|kaggle\\.json|lesshst|viminfo|dbshell',
    '(wget|lftp|offlineimap|mbsync|esmtp|ldap|x11vnc|hg|snowsql|ngrok|s3ql|luarocks|stripe|bw)rc|nuget\\.config|pause',
    'gradle\\.properties|pub-credentials\\.json|default\\.credential|hex\\.config|(okta|civo|vultr-cli)\\.(ya?ml|json)',
    'ngrok\\.ya?ml|azureprofile\\.json|adc\\.json|firebase-tools\\.json|legacy_credentials|sec\\.conf|secrets\\.conf',
    '(p?npm|yarn|pypi|gem|terraform|conda|msmtp|fetchmail|getmail|curl)rc|yarnrc\\.yml|terraform\\.rc|databrickscfg',
    'htpasswd|htdigest|g?shadow|passwd-s3fs|pwd|authorized_keys|git-credentials|dockercfg|dockerconfigjson',
    'boto|s3cfg|rclone\\.conf|cargo-credentials|erlang\\.cookie|dev\\.vars(\\..*)?|(flask|pow)env|renviron',
    'pip\\.(conf|ini)|wg\\d+\\.conf|wireguard.*\\.conf|prod\\.secret\\.exs|secret_token\\.rb|local_settings\\.py',
    '(wp-config|localsettings)\\.php|local\\.settings\\.json|appsettings\\.(prod(uction)?|staging|local|secrets)\\.json',
    'google-services\\.json|googleservice-info\\.plist|(key|keystore|signing|local)\\.properties',
    '(sftp(-config(-alt\\d*)?)?|remote-sync)\\.json|ftpconfig|(filezilla|sitemanager|recentservers|datasources\\.local)\\.xml',
    'logins(-backup)?\\.json|key[34]\\.db|wallet\\.dat|muttrc|trc|tugboat|exports|extra|zhistory|config\\.inc\\.php',
    'connectionstrings\\.config|dbeaver-data-sources\\.xml|robomongo\\.json|otr\\.private_key|proftpdpasswd',
    'edgerc|bigqueryrc|modal\\.toml|clasprc\\.json|claude\\.json|arcrc|cvspass|p4tickets|ovh\\.conf|wakatime\\.cfg|comet\\.config',
    'clouds\\.ya?ml|(.*-)?openrc\\.sh|winscp\\.ini|credentials-config\\.json|rootkey\\.csv|acme\\.json|tailscaled\\.state|lab\\.hcl',
    'docker-?config\\.json|pub-tokens\\.json|credentials\\.clj|g?cloud-service-key\\.json|gnupg|cloudflare\\.ini|debian\\.cnf',
    'jfrog-cli\\.conf.*|buildkite-agent\\.cfg|ansible_galaxy|dovecot[./-]?(users|passwd)|login data|auth-user-pass\\.txt',
    'httr-oauth|github\\.sublime-settings|ventrilo_srv\\.ini|.*publish_over_\\w+[\\w.]*\\.xml',
  ].join('|')})$`,
);
/** Tools that store credentials in a folder with their name after a dot, in the home folder or a project. */
const DOT_FOLDERS = [
  'ssh|gnupg|gpg|aws|awsvault|azure|azure-devops|kube|minikube|rancher|docker|password-store|secrets?|envs|env\\.d|oci',
  'aliyun|tccli|bluemix|cf|fly|chef|aptos|abstra|okta|step|kaggle|snowsql|snowflake|dbt|databricks|ngrok2?',
  'terraform\\.d|supabase|railway|vercel|cloudflared|davfs2|lftp|gsutil|continuum|civo|vnc',
  'weechat|httpie|mitmproxy|electrum|bitcoin|ethereum|near-credentials|keybase|gopass|mc|linode|huggingface',
  'wrangler|talos|tsh|argocd|aws-sso|gitlab-runner|render|expo|twilio-cli|doppler|influxdbv2|runpod|jfrog|fastly|exoscale|ncftp|lein',
].join('|');
/** Tools that store credentials in the system's folder for settings. */
const SETTINGS_FOLDERS = [
  'gh|hub|glab-cli|gcloud|doctl|op|rclone|heroku|configstore|netlify|\\.?wrangler|stripe|ngrok|linode-cli|scw|hcloud',
  'exoscale|github-copilot|helm|argocd|solana|yandex-cloud|pypoetry|dart|borg|filezilla|lpass|rbw',
  'bitwarden( cli)?|aerc|msmtp|neomutt|mutt|isync|offlineimap|himalaya|httpie|lftp|(com\\.)?vercel(\\.cli)?|fly(ctl)?',
  'railway|supabase|snowflake|dbt|databricks|kaggle|tea|\\.?jira|sops|age|gopass|keybase|remmina|weechat|irssi|hexchat',
  'transmission(-daemon)?|aria2|nomad|vault|consul|turso|planetscale|neonctl|render|cloudflared|circleci|openai|anthropic',
  'fauna|atlascli|mongocli|mongodb|keyrings|kwalletd|python_keyring|atuin|step|oci|azure|aws|kube|twine',
  'openstack|syncthing|exercism|io\\.datasette\\.llm|goa-1\\.0|buildkite|fastly|lab|hut|akamai-cli|gitea|teleport|aichat|vdirsyncer|jgit|discord',
].join('|');
/** Matches paths in lower case at which tools store credentials. */
const CREDENTIAL_PATH = new RegExp(
  [
    `/\\.(${DOT_FOLDERS})/`,
    `/(\\.config|\\.local/(share|state)|library/application support|appdata/(roaming|local))/(${SETTINGS_FOLDERS})/`,
    '/run/secrets/|/proc/[^/]+/(task/[^/]+/)?environ$|/\\.cache/huggingface/(token|stored_tokens)$|/etc/kubernetes/[^/]+\\.conf$',
    '/\\.(circleci/cli\\.yml|travis/config\\.yml|bundle/config|config/\\.?jira.*|sbt/.*credentials|cassandra/credentials)$',
    '/doctl/config\\.ya?ml$|/config/hub$|/davfs2/secrets$|/\\.jupyter/.*(password|config)\\.json$',
    '/\\.netlify/config\\.json$|/\\.subversion/auth/|/gitlab-runner/config\\.toml$|/\\.config/(linode-cli|upctl\\.ya?ml|chezmoi/key\\.txt)$|/\\.cabal/config$',
    '/\\.helm/repository/|/dovecot/users$|/\\.fastlane/.*/cookie$|/\\.?(purple/accounts\\.xml|irssi/config|recon-ng/keys\\.db)$',
    '/\\.m2/settings(-security)?\\.xml$|/app/etc/env\\.php$',
    '/sites/[^/]+/([^/]*settings[^/]*\\.php|[^/]*services[^/]*\\.yml)$|/nbproject/private/|/\\.emacs\\.d/server/',
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
/** Extensions that users and programs append to the name of a copy. */
const COPIED = [
  'bak\\d*|bk|bkp|bac|backup\\d*|old\\d*|orig(inal)?|saved?\\d*|sav|sw[a-p]|te?mp|copy\\d*|rej|prev(ious)?|new|disabled|enc|git',
  'dpkg-(old|new|dist|bak)|rpm(save|new|orig)|pac(new|save|orig)|ucf-(old|dist)|before|broken|unused|removed|deleted|archived?',
  'gz|zip|tar|tgz|tbz2?|txz|7z|rar|bz2|xz|zst|lz4|cab|v?\\d+|~\\d+~|\\d{4}-\\d\\d(-\\d\\d)?([t_-][\\d:_-]+)?',
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
    return CREDENTIAL_PATH.test(path) || (!TRANSLATION.test(path) && isSecretName(parts.at(-1) ?? ''));
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

/** Removes quotes and brackets around a name, and the blanks and dots at its end, which Windows ignores. */
function trimmed(name: string): string {
  return name.replace(/^[\s"'`([{<]+|[\s."'`)\]}>,;]+$/g, '');
}

/** Returns whether a name, or the name without marks of a copy, is that of a secret file. */
function isSecretName(name: string): boolean {
  let unmarked = name.slice(-MAX_NAME_LENGTH).replace(COPY, '');
  for (let marks = 0; marks <= MAX_MARKS && unmarked !== ''; marks++) {
    const bare = unmarked.replace(/^[._#~$]+/, '');
    if (NAME.test(unmarked) || NAME.test(bare) || TOOL_FILE.test(bare)) return true;
    const shorter = trimmed(unmarked.replace(BACKUP, ''));
    if (shorter === unmarked) return false;
    unmarked = shorter;
  }
  return false;
}
