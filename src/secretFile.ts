// Which files hold secrets by their name or first line. Their text never leaves the editor, not even to the
// local server: no suggestions in them, and no snippets of them in the prompts of other files.

const SECRET_NAME = new RegExp(
  [
    String.raw`^\.env`, // .env, .env.local, .envrc
    String.raw`\.env$`,
    String.raw`\.(pem|key|p12|pfx|p8|pkcs12|crt|cer|der|csr|jks|keystore|truststore|keytab|kdbx?|ppk|gpg|pgp|asc|ovpn|mobileprovision)$`,
    String.raw`^(ssh_host_)?id_(rsa|dsa|ecdsa|ed25519)(_sk)?$`,
    String.raw`_(rsa|dsa|ecdsa|ed25519)_key$`,
    String.raw`^[._](netrc|pgpass|my\.cnf|npmrc|yarnrc|pypirc|gemrc|htpasswd|git-credentials|dockercfg|boto|s3cfg|vault[-_]pass|vault-token|terraformrc|cargo-credentials)$`,
    String.raw`\.(tfvars|tfstate)(\.json|\.backup)?$`,
    String.raw`^(client|app|web)?[-_.]?(secrets?|credentials?|passwords?|passwd|apikeys?|api[-_]keys?)(\.(json|ya?ml|toml|ini|cfg|conf|txt|properties|xml|enc|local))*$`,
    String.raw`^\.(secrets?|credentials?|passwords?)(\.|$)`,
    String.raw`^(client[-_]secret|service[-_]?account|gcp[-_]key|firebase-adminsdk)[^/]*\.json$`,
    String.raw`^(master|production|development|staging)\.key$`,
    String.raw`^(kubeconfig|shadow|gshadow|htpasswd|authorized_keys)$`,
  ].join('|'),
  'i',
);
const SECRET_FOLDER = /(^|\/)\.(ssh|gnupg|gpg|aws|azure|kube|docker|password-store|secrets?)\//i;
const SECRET_LANGUAGES: readonly string[] = ['dotenv', 'ssh_config'];
const SECRET_FIRST_LINE = /^(-----BEGIN |\$ANSIBLE_VAULT;|age-encryption\.org\/|PuTTY-User-Key-File-)/;

/** `path` is separated by slashes, as in a URI. */
export function isSecretFile(path: string, languageId: string, firstLine: string): boolean {
  return (
    SECRET_NAME.test(path.slice(path.lastIndexOf('/') + 1)) ||
    SECRET_FOLDER.test(path) ||
    SECRET_LANGUAGES.includes(languageId) ||
    SECRET_FIRST_LINE.test(firstLine)
  );
}
