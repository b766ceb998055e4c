// Which names, languages and first texts keep a file out of every prompt.
import assert from 'node:assert/strict';
import { isBinaryName, isMinifiedName, isSecretFile } from '../../server/rules/hiddenFiles';

const SECRET =
  `.env .env.local .env.production .envrc .ENV prod.env server.pem server.key id_rsa id_ed25519 id_ecdsa_sk
  ssh_host_rsa_key keystore.jks release.keystore cert.p12 cert.pfx site.crt site.cer site.der site.csr wifi.ovpn
  passwords.kdbx putty.ppk mail.gpg mail.asc .npmrc .pypirc .netrc _netrc .pgpass .my.cnf .htpasswd
  .git-credentials credentials credentials.json secrets.yml secrets.yaml secrets.toml secret.json .secrets
  client_secret_123.json service-account.json serviceAccount-prod.json prod.tfvars prod.auto.tfvars.json
  terraform.tfstate terraform.tfstate.backup master.key kubeconfig shadow authorized_keys api_keys.json apikeys.txt
  passwords.txt app.mobileprovision krb5.keytab .vault-token .dockercfg store.pk8 credentials.csv`.split(
    /\s+/,
  );
const SECRET_PATHS = [
  '/home/a/.ssh/config',
  '/home/a/.aws/config',
  '/home/a/.gnupg/x',
  '/home/a/.kube/config.yaml',
  'home/.docker/config.json',
  'C:\\Users\\me\\.kube\\config',
];
const ORDINARY =
  `environment.ts env.ts dotenv.ts keys.ts keyboard.key.ts monkey.py secretary.ts credentials.ts
  passwords.go tokenizer.json tokens.json tokens.ts id_rsa.md certificate.tsx package.json tsconfig.json settings.json
  .gitignore .eslintrc.json Dockerfile Makefile README.md secretSanta.js keyring.rs pem.ts config.yaml
  token_bucket.py authorized.ts environment.d.ts secretStore.py`.split(/\s+/);
const BINARY =
  'a.png b.jpg c.pdf d.zip e.exe f.dll g.wasm h.class i.pyc j.sqlite k.safetensors l.gguf m.woff2 n.mp4'.split(
    ' ',
  );
const MINIFIED = ['jquery.min.js', 'site-min.css', 'app.bundle.js', 'index.js.map', 'lib.min.mjs'];
const STARTS = [
  '-----BEGIN CERTIFICATE-----',
  '$ANSIBLE_VAULT;1.1;AES256',
  'age-encryption.org/v1',
  'PuTTY-User-Key-File-3: ssh-ed25519',
  '# notes\n-----BEGIN OPENSSH PRIVATE KEY-----\n',
];

describe('hidden files', () => {
  const isSecret = (path: string): boolean => isSecretFile(path, 'typescript', 'a = 1');
  const check = (names: readonly string[], is: (name: string) => boolean, expected: boolean): void => {
    for (const name of names) assert.equal(is(name), expected, name);
  };

  it('are secret by their name or their folder', () => {
    check(SECRET, isSecret, true);
    check(
      SECRET.map((name) => `/project/app/${name.toUpperCase()}`),
      isSecret,
      true,
    );
    check(SECRET_PATHS, isSecret, true);
  });

  it('are secret by their language or how they begin', () => {
    for (const language of ['dotenv', 'ssh_config']) assert.ok(isSecretFile('a', language, ''), language);
    check(STARTS, (start) => isSecretFile('notes.txt', 'plaintext', start), true);
    check(['see -----BEGIN CERTIFICATE-----'], (start) => isSecretFile('a.md', 'markdown', start), false);
  });

  it('are no text, or not written by a person, by their name', () => {
    check(BINARY, isBinaryName, true);
    check(MINIFIED, isMinifiedName, true);
  });

  it('are not those of ordinary names', () => {
    for (const is of [isSecret, isBinaryName, isMinifiedName]) check(ORDINARY, is, false);
  });
});
