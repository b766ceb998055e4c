// Which texts hold secrets: private keys, wherever their headers stand, and tokens of services, by rules that gitleaks has
// for them. The bodies are made up here, so that no scanner takes this file for a leak.
import assert from 'node:assert/strict';
import { isMiddleOfKey, isSecretText } from '../../server/rules/secretFiles';
import { seededRandom } from '../support/seededRandom';

const KEY = 'MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7';
const pem = (kind: string): string => `-----BEGIN ${kind}-----\n${KEY}\n-----END ${kind}-----\n`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const PRIVATE = 'RSA DSA EC OPENSSH ENCRYPTED ED25519 SSH2_ENCRYPTED PGP'
  .split(' ')
  .map((kind) => `${kind.replace('_', ' ')} PRIVATE KEY`);
/** Wherever it stands in a text. */
const HEADED = [
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
/** At the beginning of a file. */
const BEGUN = [
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
/** As the rules of gitleaks describe them. */
const TOKENS = [
  ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((kind) => `${kind}_${drawn(36)}`),
  `github_pat_${drawn(22)}_${drawn(59)}`,
  ...['glpat', 'gldt', 'glrt', 'glsoat', 'glft'].map((kind) => `${kind}-${drawn(20)}`),
  `glptt-${drawn(40, HEX)}`,
  `xoxb-${drawn(12, '123456789')}-${drawn(13, '123456789')}-${drawn(24)}`,
  `xoxp-${drawn(12, '123456789')}-${drawn(12, '123456789')}-${drawn(12, '123456789')}-${drawn(32, HEX)}`,
  `xapp-1-A${drawn(10, 'ABC123')}-${drawn(13, '123456789')}-${drawn(64, HEX)}`,
  `https://hooks.slack.com/services/T${drawn(8)}/B${drawn(8)}/${drawn(24)}`,
  `sk_live_${drawn(24)}`,
  `rk_live_${drawn(24)}`,
  `sk-ant-api03-${drawn(93)}AA`,
  `sk-proj-${drawn(74)}T3BlbkFJ${drawn(74)}`,
  `sk-${drawn(20)}T3BlbkFJ${drawn(20)}`,
  `hf_${drawn(34, ALNUM.slice(0, 52))}`,
  `npm_${drawn(36)}`,
  `pypi-AgEIcHlwaS5vcmc${drawn(80)}`,
  `rubygems_${drawn(48, HEX)}`,
  `SG.${drawn(22)}.${drawn(43)}`,
  `dop_v1_${drawn(64, HEX)}`,
  `dapi${drawn(32, HEX)}`,
  `hvs.${drawn(95)}`,
  `dp.pt.${drawn(43)}`,
  `${drawn(14)}.atlasv1.${drawn(64)}`,
  `shpat_${drawn(32, HEX)}`,
  `lin_api_${drawn(40)}`,
  `PMAK-${drawn(24, HEX)}-${drawn(34, HEX)}`,
  `glsa_${drawn(32)}_${drawn(8, HEX)}`,
  `pul-${drawn(40, HEX)}`,
  `${drawn(9, '123456789')}:AA${drawn(33)}`,
  `AKIA${drawn(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}:${drawn(40)}`,
];
/** How a token stands in a file. */
const AROUND: readonly ((token: string) => string)[] = [
  (token) => `const token = "${token}";\n`,
  (token) => `TOKEN=${token}\n`,
  (token) => `curl -H 'Authorization: Bearer ${token}' https://api.example.com\n`,
  (token) => `url: https://user:${token}@example.com/a?x=${token}&y=1\r\n`,
];
const AWS_SECRET = `${drawn(20)}/${drawn(18)}7`;
const NAMED = [
  `[default]\naws_access_key_id = a\naws_secret_access_key = ${AWS_SECRET}\n`,
  `[default]\naws_secret_access_key = hunter2SECRETvalue\n`,
  `export AWS_SECRET_ACCESS_KEY=${AWS_SECRET}\n`,
  `  secretAccessKey: '${AWS_SECRET}',\n`,
  `  "SecretAccessKey": "${AWS_SECRET}",\n`,
  `  secret_key = "${AWS_SECRET}"\n`,
];
/** Texts that stand for tokens, of gitleaks' tests and of READMEs, and code about tokens. */
const NO_TOKENS = [
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
const base64Lines = (width: number, count: number): string =>
  Array.from({ length: count }, () => `${drawn(width, `${ALNUM}+/`)}\n`).join('');

describe('secret texts', () => {
  const is = (text: string): boolean => isSecretText('plaintext', text);

  it('are known by the header of a key anywhere in the text, and by how they begin', () => {
    assert.ok(HEADED.length + BEGUN.length + TOKENS.length + NAMED.length >= 60);
    for (const text of [...HEADED, ...BEGUN])
      for (const start of ['', '\uFEFF', '\n\n', '# created: 2024-01-01\r\n// note\n;\n'])
        assert.ok(is(start + text), start + text);
    for (const text of HEADED) assert.ok(is('const a = 1;\n'.repeat(50_000) + text), text);
    for (const text of HARMLESS) assert.ok(!is(text), text);
  });

  it('are known by the tokens of services', () => {
    for (const token of TOKENS)
      for (const around of AROUND)
        for (const start of ['', 'x', 'const a = 1;\n'.repeat(7)])
          assert.ok(is(`${start}\n${around(token)}const b = 2;\n`), around(token));
    for (const text of NAMED) assert.ok(is(text), text);
  });

  it('are not those with what stands for a token, or code about them', () => {
    for (const text of NO_TOKENS) assert.ok(!is(text), text);
    assert.ok(!is(NO_TOKENS.join('\n')));
  });

  it('are known by their language', () => {
    for (const language of ['dotenv', 'ssh_config']) assert.ok(isSecretText(language, ''), language);
  });

  it('may be the middle of a key', () => {
    for (const width of [64, 70, 76]) {
      const key = base64Lines(width, 7);
      for (const part of [
        key,
        key.replaceAll(/^/gm, ' '),
        key.replaceAll(/^/gm, '+'),
        `@@ -9,7 +9,7 @@\n ${key}`,
      ])
        assert.ok(isMiddleOfKey(part), part);
      assert.ok(isMiddleOfKey(key.replaceAll('\n', '\r\n')));
      assert.ok(!isMiddleOfKey(base64Lines(width, 2)));
    }
    assert.ok(!isMiddleOfKey(Array.from({ length: 9 }, () => `${drawn(64, HEX)}\n`).join('')));
    assert.ok(!isMiddleOfKey('const a = 1;\n'.repeat(1000)));
  });
});
