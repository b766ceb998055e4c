// Which documents may enter a prompt.
import assert from 'node:assert/strict';
import { ineligibility, isSecretPath } from '../../server/completion/eligibility';

const SECRET = [
  '.env',
  '.env.local',
  'prod.env',
  '.envrc',
  'server.pem',
  'SERVER.KEY',
  'a.pfx',
  'a.p12',
  'store.jks',
  'id_rsa',
  'id_ed25519',
  '.npmrc',
  '.netrc',
  '_netrc',
  '.pypirc',
  '.git-credentials',
  'credentials',
  'credentials.json',
  'secrets.yaml',
  'terraform.tfvars',
  'client_secret_1.json',
  'service-account.json',
  'home/.ssh/config',
  'home/.aws/config',
  'C:\\Users\\me\\.kube\\config',
  'file:///home/me/%2Eenv',
  'vscode-remote://ssh/home/me/.env?a#b',
];
const OPEN = [
  'env.ts',
  'key.ts',
  'credentials.ts',
  'secretStore.py',
  'environment.d.ts',
  'id_rsa.md',
  'a%.ts',
];

const file = (text: string, fileName = 'a.ts') => ({ uri: `file:///${fileName}`, fileName, text });

describe('ineligibility', () => {
  for (const path of SECRET) it(`keeps ${path} out`, () => assert.equal(isSecretPath(path), true));
  for (const path of OPEN) it(`lets ${path} in`, () => assert.equal(isSecretPath(path), false));

  it('sees a secret by the name or by the URI', () => {
    assert.equal(ineligibility({ ...file('a'), fileName: '.env' }), 'secret');
    assert.equal(ineligibility({ ...file('a'), uri: 'file:///a/.env' }), 'secret');
  });

  it('sees a private key in any file', () => {
    assert.equal(ineligibility(file('a\n-----BEGIN RSA PRIVATE KEY-----\n')), 'secret');
  });

  it('lets code in, empty or not', () => {
    assert.equal(ineligibility(file('')), undefined);
    assert.equal(ineligibility(file('const a = "ü → 😀";\n'.repeat(2000))), undefined);
  });

  it('keeps binary files out', () => {
    assert.equal(ineligibility(file('a\0b')), 'binary');
    assert.equal(ineligibility(file('\ufffd\u0001abc'.repeat(50))), 'binary');
  });

  it('keeps minified files out', () => {
    assert.equal(ineligibility(file(`/* license */\n${'a=1;'.repeat(3000)}`)), 'minified');
    assert.equal(ineligibility(file('a', 'jquery.min.js')), 'minified');
    assert.equal(ineligibility(file(`${'x'.repeat(900)}\n`.repeat(20))), 'minified');
  });

  it('keeps large files out whatever is in them', () => {
    for (const text of ['const a = 1;\n', 'a\0b', 'x'])
      assert.equal(ineligibility(file(text.repeat(5e6))), 'large');
  });
});
