// Tests texts with secrets: private keys, wherever their headers are, and tokens of services, by the rules of gitleaks.
// Their bodies are made up here, so that no scanner reports this file.
import assert from 'node:assert/strict';
import { isMiddleOfKey, isSecretText } from '../../server/rules/secretTexts';
import { seededRandom } from '../support/seededRandom';

const KEY = 'MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7';
const pem = (kind: string): string => `-----BEGIN ${kind}-----\n${KEY}\n-----END ${kind}-----\n`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const PRIVATE = 'RSA DSA EC OPENSSH ENCRYPTED ED25519 SSH2_ENCRYPTED PGP'
  .split(' ')
  .map((kind) => `${kind.replace('_', ' ')} PRIVATE KEY`);
/** Headers that are secret anywhere in a text. */
const KEY_HEADERS = [
  ...['PRIVATE KEY', ...PRIVATE, 'PGP PRIVATE KEY BLOCK', 'OpenVPN Static key V1', 'rsa private key'].map(
    pem,
  ),
  '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "a"\n',
  `-----begin private key-----\r${KEY}`,
  'AGE-SECRET-KEY-1QQPQZRFR7ZZ2WCFWCWZGWHXFQGQJ0KYQ5WLJ9QGQ6\n',
  'AGE-SECRET-KEY-PQ-1QQPQZRFR7ZZ2WCFWCWZGWHXFQG\n',
  'PuTTY-User-Key-File-2: ssh-rsa\n',
  'PuTTY-User-Key-File-3: ssh-ed25519\n',
  '    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0\n',
  '[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\n',
  '{"kty":"EC","crv":"P-256","d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"}\n',
  '{"kty": "oct", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ"}\n',
  '{"type":"service_account","private_key":"-----BEGIN PRIVATE KEY-----\\nMIIE"}\n',
  // Keys inside of code and pages
  `KEY = ("-----BEGIN RSA PRIVATE KEY-----\\n"\n       "${KEY}\\n")\n`,
  `const key = ['-----BEGIN PRIVATE KEY-----',\n    '${KEY}'];\n`,
  `<p>-----BEGIN PGP PRIVATE KEY BLOCK-----<br>${KEY}</p>\n`,
  `KEY="-----BEGIN RSA PRIVATE KEY----- ${KEY} -----END RSA PRIVATE KEY-----"\n`,
  `"-----BEGIN RSA PRIVATE KEY-----\\r\\n"\n"Proc-Type: 4,ENCRYPTED\\r\\n"\n"DEK-Info: DES-EDE3-CBC,0F1E2D3C4B5A6978\\r\\n"\n"\\r\\n"\n"${KEY}"`,
  `"-----BEGIN PGP PRIVATE KEY BLOCK-----\\n" +\n  "Version: GnuPG v2.0.22 (GNU/Linux)\\n" +\n  "Comment: of the build\\n" +\n  "\\n" +\n  "${KEY}"`,
  '-----BEGIN\tRSA\u00a0PRIVATE\u00a0\u00a0KEY-----\n',
  ...['PRIVATE KEY', ...PRIVATE].flatMap((kind) =>
    ['', 'a', 'ab'].map((start) => `key: ${base64(start + pem(kind))}\n`),
  ),
  `"client-key-data": "${base64(pem('EC PRIVATE KEY'))}"\n`,
  `ssh_key = "${base64('openssh-key-v1\0\0\0\0\u0004none')}"\n`,
  '//registry.npmjs.org/:_authToken=3f2a9c1e-77b4-4d0e-9a51-0c8e6fb1d2a4\n',
  `AccountName=a;AccountKey=${'Ab3+'.repeat(21)}Ab==;EndpointSuffix=core.windows.net\n`,
  `Endpoint=sb://a.servicebus.windows.net/;SharedAccessKey=${'Ab3/'.repeat(10)}Ab3=\n`,
];
/** Texts that are secret at the beginning of a file. */
const SECRET_BEGINNINGS = [
  pem('CERTIFICATE'),
  pem('PGP MESSAGE'),
  '$ANSIBLE_VAULT;1.1;AES256\n6162\n',
  'age-encryption.org/v1\n-> X25519 a\n',
  'untrusted comment: minisign encrypted secret key\nRWRT',
  'untrusted comment: signify secret key\nRWRC',
];
const HARMLESS = [
  '',
  'const a = 1;\n',
  'see -----BEGIN CERTIFICATE-----\n',
  'import { createPrivateKey } from "node:crypto"; // a private key\n',
  'The PRIVATE KEY is kept elsewhere.\n-----\nBEGIN\n',
  'BEGIN PRIVATE KEY\n',
  '-----BEGIN PUBLIC KEY\n'.replace('-', '# -'),
  'const header = "-----BEGIN PUBLIC KEY-----";\n',
  // Code and pages about private keys, as in PEM parsers and the manuals of npm and Google
  'if (text.startsWith("-----BEGIN RSA PRIVATE KEY-----")) return parseRsa(text);\n',
  '_SK_START = b"-----BEGIN OPENSSH PRIVATE KEY-----\\n"\n_SK_END = b"-----END OPENSSH PRIVATE KEY-----"\n',
  'const PEM = /-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----/s;\n',
  '// It contains -----BEGIN PRIVATE KEY----- ... -----END PRIVATE KEY-----\n',
  '"private_key": "-----BEGIN EC PRIVATE KEY-----\\n<key bytes>\\n-----END EC PRIVATE KEY-----\\n"\n',
  'key="-----BEGIN PRIVATE KEY-----\\nXXXX\\nXXXX\\n-----END PRIVATE KEY-----"\n',
  'header = f"-----BEGIN PRIVATE KEY-----{newline}"\n',
  'if (line.startsWith("PuTTY-User-Key-File")) return;\n',
  'const prefix = "AGE-SECRET-KEY-1";\n',
  'untrusted-comment\n',
  'client-key-data:\n',
  `certificate-authority-data: ${base64(pem('CERTIFICATE'))}\n`,
  '//registry.npmjs.org/:_authToken=${NPM_TOKEN_2_OF_THE_BUILD}\n',
  'const parts = `AccountName=${name};AccountKey=${key};`;\n',
  'PrivateKey = load(path)\n',
  'interface Key { "kty": string; "d": string }\n',
  '{"kty":"EC","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"}\n',
  'echo "$ANSIBLE_VAULT;"\n',
  `${'----------\n'.repeat(500)}| BEGIN | END |\n`,
];

const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const HEX = '0123456789abcdef';
const random = seededRandom(1);
const drawn = (length: number, from = ALNUM): string =>
  Array.from({ length }, () => from[Math.floor(random() * from.length)]).join('');
/** Letters to draw from, by the mark after a count in TOKENS. */
const LETTERS: Readonly<Record<string, string>> = {
  '': ALNUM,
  h: HEX,
  d: '123456789',
  l: ALNUM.slice(0, 52),
  x: 'ABC123',
  b: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
};
/** Makes up tokens by their descriptions: {20} stands for 20 letters or digits, {40h} for 40 hex digits. */
const madeUp = (descriptions: string): readonly string[] =>
  descriptions
    .trim()
    .split(/\s+/)
    .map((token) =>
      token.replace(/\{(\d+)(\w?)\}/g, (_, count, kind: string) => drawn(Number(count), LETTERS[kind])),
    );
/** Tokens as the rules of gitleaks describe them. */
const TOKENS = madeUp(`
  ghp_{36} gho_{36} ghu_{36} ghs_{36} ghr_{36} github_pat_{22}_{59}
  glpat-{20} gldt-{20} glrt-{20} glsoat-{20} glft-{20} glptt-{40h}
  xoxb-{12d}-{13d}-{24} xoxp-{12d}-{12d}-{12d}-{32h} xapp-1-A{10x}-{13d}-{64h}
  https://hooks.slack.com/services/T{8}/B{8}/{24} sk_live_{24} rk_live_{24}
  sk-ant-api03-{93}AA sk-proj-{74}T3BlbkFJ{74} sk-{20}T3BlbkFJ{20}
  hf_{34l} npm_{36} pypi-AgEIcHlwaS5vcmc{80} rubygems_{48h} SG.{22}.{43} dop_v1_{64h} dapi{32h} hvs.{95}
  dp.pt.{43} {14}.atlasv1.{64} shpat_{32h} lin_api_{40} PMAK-{24h}-{34h} glsa_{32}_{8h} pul-{40h}
  {9d}:AA{33} AKIA{16b}:{40}`);
/** Lines of files around a token. */
const CONTEXTS: readonly ((token: string) => string)[] = [
  (token) => `const token = "${token}";\n`,
  (token) => `TOKEN=${token}\n`,
  (token) => `curl -H 'Authorization: Bearer ${token}' https://api.example.com\n`,
  (token) => `url: https://user:${token}@example.com/a?x=${token}&y=1\r\n`,
];
const AWS_SECRET = `${drawn(20)}/${drawn(18)}7`;
/** AWS secrets, which only their names give away. */
const NAMED_SECRETS = [
  `[default]\naws_access_key_id = a\naws_secret_access_key = ${AWS_SECRET}\n`,
  `[default]\naws_secret_access_key = hunter2SECRETvalue\n`,
  `export AWS_SECRET_ACCESS_KEY=${AWS_SECRET}\n`,
  `  secretAccessKey: '${AWS_SECRET}',\n`,
  `  "SecretAccessKey": "${AWS_SECRET}",\n`,
  `  secret_key = "${AWS_SECRET}"\n`,
];
/** Placeholders for tokens, from gitleaks' tests and READMEs, and code about tokens. */
const NO_TOKENS = [
  'rnd_generateUniqueIdentifierForX',
  're_exports1_somethingLongWithoutUnderscore',
  're_compiled_ahkqwxzjvbnmplotyreudcgs_v2',
  'xoxb-xxxxxxxxx-xxxxxxxxxx-xxxxxxxxxxxx',
  'xoxb-12345-abcd234',
  'xoxp-XXXXXXXXXX-XXXXXXXXXX-XXXXXXXXXXX-XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX',
  'xoxe.xoxp-1-SlackAppConfigurationAccessTokenHere',
  'https://github.com/xoxa-nyc/xoxa-nyc.github.io/blob/master/README.md',
  `ghp_${'x'.repeat(36)}`,
  `glpat-${'X'.repeat(20)}`,
  'key = AKIAXXXXXXXXXXXXXXXX',
  'aws_access_key_id: AKIAIOSFODNN7EXAMPLE',
  'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'msgstr "Näytä asiakirjamallikansio."',
  'TODAYINASIAASACKOFRICEFELLOVER',
  'golang.org/x/oauth2 v0.15.0 h1:s8pnnxNVzjWyrvYdFUQq5llS1PX2zhPXmccZv99h7uQ=',
  'client_vpn_endpoint_id = aws_ec2_client_vpn_endpoint.client-vpn-endpoint.id',
  'const pattern = /gh[pousr]_[A-Za-z0-9]{36}/;',
  'aws_secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY_2"],',
  '    aws_secret_access_key=credentials2.secret_key_of_that,',
  'AWS_SECRET_ACCESS_KEY: ${{ secrets.AWS_SECRET_ACCESS_KEY_1 }}',
  'secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY_FOR_STAGE_2,',
  `const sha = "${drawn(40, HEX)}"; // of the commit`,
  `"integrity": "sha512-${drawn(86)}=="`,
  'import { createTokenProviderWithRefresh } from "./auth/createTokenProviderWithRefresh.js";',
  `<img src="data:image/png;base64,${drawn(400)}">`,
  'sk_test_placeholder, pk_live_51H8example',
];
const HASH_LETTERS = `${ALNUM}./`;
const jwtPart = (fields: object): string => Buffer.from(JSON.stringify(fields)).toString('base64url');
const JWT = `${jwtPart({ alg: 'HS256', typ: 'JWT' })}.${jwtPart({ sub: 'ada', iat: 1_700_000_000 })}.${drawn(43)}`;
const rsaXml = (fields: string): string =>
  `<RSAKeyValue><Modulus>${drawn(86)}==</Modulus><Exponent>AQAB</Exponent>${fields}</RSAKeyValue>\n`;
/** Logins in the forms of tools, and hashes of passwords. */
const LOGINS = [
  `token = "${JWT}"\n`,
  `Authorization: Bearer ${JWT}\n`,
  ...['postgres', 'postgresql+psycopg2', 'mysql', 'mongodb+srv', 'redis', 'amqps', 'sftp', 'ldaps'].map(
    (scheme) => `url = "${scheme}://app:${drawn(14)}@db.internal/app"\n`,
  ),
  `REDIS_URL=redis://:${drawn(16)}@cache:6379/0\n`,
  `jdbc:postgresql://db/app?user=app&password=${drawn(12)}\n`,
  `"Server=db;Database=app;User Id=app;Password=${drawn(12)};"\n`,
  `{ "auths": { "ghcr.io": { "auth": "${base64(`ada:${drawn(20)}`)}" } } }\n`,
  `{"installed":{"client_secret":"GOCSPX-${drawn(28)}"}}\n`,
  `"client_secret": "${drawn(31)}7",\n`,
  `CLIENT_SECRET=${drawn(39)}7\n`,
  `  clientSecret: '${drawn(31)}7',\n`,
  `"refresh_token": "1//0g${drawn(60)}"\n`,
  `refresh_token: ${drawn(39)}7\n`,
  `"access_token": "ya29.${drawn(100)}"\n`,
  `admin:$2y$10$${drawn(53, HASH_LETTERS)}\n`,
  `root:$6$${drawn(16)}$${drawn(86, HASH_LETTERS)}:19000:0:99999:7:::\n`,
  `$5$rounds=5000$${drawn(8)}$${drawn(43, HASH_LETTERS)}\n`,
  `ada:$1$${drawn(8)}$${drawn(22, HASH_LETTERS)}\n`,
  `ada:$apr1$${drawn(8)}$${drawn(22, HASH_LETTERS)}\n`,
  `ada:$y$j9T$${drawn(22)}$${drawn(43, HASH_LETTERS)}\n`,
  `$argon2id$v=19$m=65536,t=3,p=4$${drawn(22)}$${drawn(43)}\n`,
  `pbkdf2_sha256$600000$${drawn(22)}$${drawn(43)}=\n`,
  `scrypt:32768:8:1$${drawn(16)}$${drawn(128, HEX)}\n`,
  `userPassword: {SSHA}${drawn(32)}\n`,
  `Administrator:500:aad3b435b51404eeaad3b435b51404ee:${drawn(32, HEX)}:::\n`,
  `$P$B${drawn(30)}\n`,
  rsaXml(`<P>${drawn(86)}==</P><D>${drawn(172)}</D>`),
  `<add key="ClearTextPassword" value="${drawn(12)}" />\n`,
  `apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata:\n  login: ${drawn(16)}\n`,
  `apiVersion: v1\nkind: Secret\nstringData:\n  login: ${drawn(16)}\n`,
  `apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    token: ${drawn(30)}\n`,
  `dckr_pat_${drawn(27)}\n`,
  `${drawn(32, HEX)}-us12\n`,
  `Server=db;Database=app;Uid=app;pwd=${drawn(12)};\n`,
  `DRIVER={PostgreSQL};SERVER=db;UID=app;PWD=${drawn(12)};\n`,
  `ada:$gy$j9T$${drawn(22)}$${drawn(43, HASH_LETTERS)}\n`,
  `scrypt:16384:8:1$${drawn(16)}$${drawn(128, HEX)}\n`,
];
/** More logins and hashes, each of a kind of its own. */
const MORE_LOGINS = [
  ...'nats mqtt neo4j+s snowflake oracle+cx_oracle socks5 mysql2 mariadb mongodb rediss amqp mssql sqlserver cockroachdb clickhouse ftp ftps ldap smtp smtps imap imaps'
    .split(' ')
    .map((scheme) => `${scheme}://app:${drawn(14)}@db.internal\n`),
  `{ "auths": { "ghcr.io": { "identitytoken": "${drawn(30)}" } } }\n`,
  `jdbc:oracle:thin:@db;pwd=${drawn(12)}\n`,
  `ASIA${drawn(16, LETTERS['b'])}:${AWS_SECRET}\n`,
  `$S$D${drawn(51, HASH_LETTERS)}\n`,
  `enable secret 9 $9$${drawn(14, HASH_LETTERS)}$${drawn(43, HASH_LETTERS)}\n`,
  `SCRAM-SHA-256$4096:${drawn(22)}==$${drawn(43)}=:${drawn(43)}=\n`,
  `grub.pbkdf2.sha512.10000.${drawn(128, HEX).toUpperCase()}.${drawn(128, HEX).toUpperCase()}\n`,
  `[Peer]\nPresharedKey = ${drawn(43)}=\n`,
  `https://a.blob.core.windows.net/c?sv=2022-11-02&sp=rl&sig=${drawn(40)}%2Fab%3D\n`,
  `.dockerconfigjson: ${base64('{"auths":{"ghcr.io":{"auth":"YTpi"}}}')}\n`,
  `token: ${base64(`${jwtPart({ alg: 'HS256', typ: 'JWT' })}.${jwtPart({ sub: drawn(12) })}.${drawn(43)}`)}\n`,
  `kind: "Secret"\ndata:\n  login: ${drawn(16)}\n`,
  `items:\n- apiVersion: v1\n  data:\n    login: ${drawn(16)}\n  kind: Secret\n`,
  `{"kind": "Secret", "data": {"login": "${drawn(16)}"}}\n`,
  '{ "kind" : "Secret", "data" : { "login" : "QWRhTG92ZWxhY2U=" } }\n',
  '{"kind":"Secret","stringData":{"login":"hunter-42"}}\n',
  `$P$${drawn(31, HASH_LETTERS)}\n`,
  `$H$${drawn(31, HASH_LETTERS)}\n`,
  `$7$CU..../....${drawn(8)}$${drawn(20)}$${drawn(43, HASH_LETTERS)}\n`,
  `$scrypt$ln=17,r=8,p=1$${drawn(22)}$${drawn(43)}\n`,
  `$pbkdf2-sha512$25000$${drawn(22)}$${drawn(86)}\n`,
  `pbkdf2:sha256:260000$${drawn(16)}$${drawn(64, HEX)}\n`,
  `userPassword: {SHA}${drawn(27)}=\n`,
  `<DSAKeyValue><X>${drawn(40)}</X></DSAKeyValue>\n`,
  `apiVersion: v1\nkind: Config\nusers:\n- user:\n    password: ${drawn(12)}\n`,
  'apiVersion: "v1"\nkind: "Config"\nusers:\n- user:\n    token: "b8c1e5d2a7"\n',
  'url: ${DATABASE_URL:-postgres://app:S3cr3t99x@db/app}\n',
  '+redis://:S3cr3t99x@cache:6379\n',
  'postgres://app:S3cr\\3t99x@db/app\n',
  // A header with a certificate
  `token = "${jwtPart({ alg: 'RS256', x5c: [KEY.repeat(30)] })}${JWT.slice(JWT.indexOf('.'))}"\n`,
  `token: \${TOKEN:-${JWT}}\n`,
  ...['typ', 'kid'].map(
    (field) => `token: ${base64(jwtPart({ [field]: 'JWT', alg: 'HS256' }) + JWT.slice(JWT.indexOf('.')))}\n`,
  ),
];
/** Tokens of services by their prefixes, one of each form. */
const MORE_TOKENS = madeUp(`
  GR1348941{20} glagent-{20} xoxe-1-{146} xoxe.xoxp-1-{163} EZAK{54} EZTK{54} FLWSECK_TEST-{12h} duffel_test_{43}
  acme.webhook.office.com/webhookb2/{8h}-{4h}-{4h}-{4h}-{12h}@{8h}-{4h}-{4h}-{4h}-{12h}/IncomingWebhook/{32h}
  sq0atp-{22} shpca_{32h} shippo_live_{40h} sk-svcacct-{40} api_org_{34l} pplx-{48} gsk_{52} CLOJARS_{60h} AKCp{69} cmVmd{59}
  xkeysib-{64h}-{16h} HRKU-AA{58} ABSK{109} v1.0-{24h}-{146h} fo1_{43} fm2_{100} tk-us-{48} ico-{32} sha256~{43} {3}5Q~{34}
  pscale_tkn_{32} pnu_{36} sgp_{40h} sgp_local_{40h} 4b1d{38} ntn_{11d}{35} rdme_{70h} fio-u-{64} pat{14}.{64h} p8e-{32}
  EAAM{100} s-s4t2ud-{64h} sm_aat_{16} glc_{32} eyJrIjoi{70} dt0c01.{24}.{64} sntryu_{64h} sntrys_eyJ{60} pat.{22}.{24}.{20}
  API-{26b} sk_test_{24} dckr_oat_{27} sbp_{40h} sb_secret_{20} nfp_{36} tskey-auth-{12}-{20} whsec_{32} r8_{37} xai-{70}
  lsv2_pt_{32h}_{10h} figd_{40} CFPAT-{43} secret_{43} ATATT3{100} ATBB{32} sqp_{40h} tfp_{59} NRAK-{27b} NRII-{32} AQVN{35}
  sk-or-v1-{64h} sk-{32h} sk-lf-{8h}-{4h}-{4h}-{4h}-{12h} nvapi-{64} pcsk_{6}_{62} tgp_v1_{43} tvly-dev-{32} jina_{60} e2b_{40h}
  napi_{64h} CCIPAT_{22}_{40h} bkua_{40h} phx_{43} sl.u.{130} GOOG1E{55b} xoxr-{30} xoxc-{12d}-{12d}-{64h} xoxd-{80}
  https://discord.com/api/webhooks/{18d}/{68} sk_org_live_{40} EAAAE{59} rzp_live_{14} csk-{48h}
  re_{8}_{24} rnd_{28} sk_{48h} vercel_blob_rw_{16}_{30} wandb_v1_{77} sk.eyJ{50}.{22} cio{32}
  SK{32h} dnkey-{26}-{52} access-sandbox-{8h}-{4h}-{4h}-{4h}-{12h} M{23}.{6}.{27} bedrock-api-key-{40} ops_eyJ{250}
  A3-{6b}-{6b}-{5b}-{5b}-{5b}-{5b} {6}_{29}_mmk ya29.{50} 1//0{35} GOCSPX-{28}`);
/** Code and examples about logins. */
const NO_LOGINS = [
  'postgres://user:password@localhost:5432/app',
  'postgres://postgres:postgres@db/app',
  'mysql://root:${PASSWORD}@db/app',
  'redis://:{{ redis_secret }}@cache',
  '`mongodb://${user}:${password}@${host}/x`',
  'const pattern = /^postgres:\\/\\/([^:]+):([^@]+)@/;',
  `import { a } from "https://example.com:8080/@scope/name@1.2.3/mod.ts";`,
  'clientSecret: process.env.CLIENT_SECRET_OF_THE_STAGE_2,',
  'client_secret = get_secret("projects/1/secrets/client_secret_2")',
  'const refreshToken = await createRefreshTokenForUser2(user);',
  'refresh_token: string;',
  `const JWT = '${jwtPart({ alg: 'HS256', typ: 'JWT' })}.${jwtPart({ sub: '1234567890', name: 'John Doe', iat: 1_516_239_022 })}.${drawn(43)}';`,
  '"auth": "basic", "auths": []',
  'const BCRYPT = /^\\$2[aby]\\$\\d\\d\\$[./A-Za-z0-9]{53}$/;',
  '$argon2id$v=19$m=65536,t=3,p=4$',
  'hash = "pbkdf2_sha256$%d$%s$%s" % (iterations, salt, digest)',
  rsaXml(''),
  'apiVersion: v1\nkind: Secret\ndata:\n  login: {{ .Values.login | b64enc }}\n',
  'cvs://:pserver:anoncvs@sources.redhat.com:/cvs/src',
  'git+https://user:hunter42@example.com/a.git',
  '{"kind": "Secret", "data": {"login": "${LOGIN}"}}',
  '{"kind": "Secret", "data": {"login": "not-in-base64"}}',
  '{"kind": "Secret", "stringData": {"login": "<password>"}}',
  ...['alpine:3.19.1', 'node:20-bookworm'].map(
    (image) => `uses: docker://${image}@sha256:${'0a1b'.repeat(16)}`,
  ),
  'fsspec.open("github://dask:fastparquet@main/setup.py")',
  'apiVersion: v1\nkind: ConfigMap\ndata:\n  login: abcdefgh\n',
  'echo "$1$2$5$6"',
];
const base64Lines = (width: number, count: number): string =>
  Array.from({ length: count }, () => `${drawn(width, `${ALNUM}+/`)}\n`).join('');

describe('secret texts', () => {
  const isSecret = (text: string): boolean => isSecretText('plaintext', text);

  it('are detected by a key header anywhere in the text, and by their beginning', () => {
    assert.ok(KEY_HEADERS.length + SECRET_BEGINNINGS.length + TOKENS.length + NAMED_SECRETS.length >= 60);
    for (const text of [...KEY_HEADERS, ...SECRET_BEGINNINGS])
      for (const start of ['', '\uFEFF', '\n\n', '# created: 2024-01-01\r\n// note\n;\n'])
        assert.ok(isSecret(start + text), start + text);
    for (const text of KEY_HEADERS) assert.ok(isSecret('const a = 1;\n'.repeat(50_000) + text), text);
    for (const text of HARMLESS) assert.ok(!isSecret(text), text);
  });

  it('are detected by tokens of services, logins and hashes of passwords', () => {
    for (const token of [...TOKENS, ...MORE_TOKENS])
      for (const withContext of CONTEXTS)
        for (const start of ['', 'x', 'const a = 1;\n'.repeat(7)])
          assert.ok(isSecret(`${start}\n${withContext(token)}const b = 2;\n`), withContext(token));
    const [first = ''] = TOKENS;
    const placeholder = `ghp_${'x'.repeat(36)}`;
    assert.ok(!isSecret(`keys=${placeholder}:${placeholder}\n`));
    assert.ok(isSecret(`keys=${placeholder}:${first}\n`), first);
    for (const text of [...NAMED_SECRETS, ...LOGINS]) assert.ok(isSecret(text), text);
    for (const text of [...LOGINS, ...MORE_LOGINS])
      assert.ok(isSecret(`const a = 1;\n${text}const b = 2;\n`), text);
    // A netrc file is detected by its beginning.
    assert.ok(isSecret(`# logins\nmachine api.example.com\n  login ada\n  password ${drawn(12)}\n`));
  });

  it('are detected by a real token after placeholders', () => {
    const placeholder = `GITHUB_TOKEN=ghp_${'x'.repeat(36)}\n`;
    for (const token of TOKENS) assert.ok(isSecret(`${placeholder.repeat(2)}TOKEN=${token}\n`), token);
  });

  it('do not include placeholders and code about tokens', () => {
    for (const text of [...NO_TOKENS, ...NO_LOGINS]) assert.ok(!isSecret(text), text);
    assert.ok(!isSecret(NO_TOKENS.join('\n')));
  });

  it('are detected by their language', () => {
    for (const language of ['dotenv', 'ssh_config']) assert.ok(isSecretText(language, ''), language);
  });

  it('are searched for in less than a second in texts made to be slow to search', () => {
    const config = 'apiVersion: v1\nkind: Config\n';
    for (const [start, repeated] of [
      [config, '\n'],
      [config, '      \n'],
      [config, 'kind: Config\n'],
      ['', 'eyJ-'],
      ['', 'ops_eyJ'],
      ['', '_re_'],
      ['sig=', '?sv=a'],
      ['const a =', '"-----BEGIN PRIVATE KEY-----"'],
      ['', 'nats://a:'],
    ] as const) {
      const text = start + repeated.repeat(100_000 / repeated.length);
      const from = process.cpuUsage();
      assert.ok(!isSecret(text));
      const { user } = process.cpuUsage(from);
      assert.ok(user < 1e6, `${JSON.stringify(repeated)} took ${user / 1000} ms`);
    }
  });

  it('include texts from the middle of a key', () => {
    for (const width of [64, 70, 76]) {
      const key = base64Lines(width, 7);
      const marked = [' ', '+'].map((mark) => key.replaceAll(/^/gm, mark));
      for (const part of [key, ...marked, `@@ -9,7 +9,7 @@\n ${key}`, key.replaceAll('\n', '\r\n')])
        assert.ok(isMiddleOfKey(part), part);
      assert.ok(!isMiddleOfKey(base64Lines(width, 2)));
    }
    assert.ok(!isMiddleOfKey(Array.from({ length: 9 }, () => `${drawn(64, HEX)}\n`).join('')));
    assert.ok(!isMiddleOfKey('const a = 1;\n'.repeat(1000)));
  });
});
