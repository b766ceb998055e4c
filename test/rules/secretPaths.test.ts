// Tests names of secret files. Most are from well-known tools, shhgit's list and GitHub's templates for .gitignore; the
// ordinary ones are from well-known repositories.
import assert from 'node:assert/strict';
import { isSecretPath } from '../../server/rules/secretPaths';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Names that are secret in any folder. */
const SECRET_NAMES = words(`
  .env .env.local .env.production .Env.Production .envrc .envrc.local .env-prod .env.example .env~ .env.bak prod.env prod.ENV
  prod.env.local prod.env.bak prod.env~ docker.env env env.local env.production .flaskenv .dev.vars .dev.vars.local .Renviron
  server.pem x.PEM server.key master.key config/master.key keystore.jks release.keystore debug.keystore cert.p12 cert.pfx
  site.crt site.cer site.der site.csr wifi.ovpn passwords.kdbx passwords.kdb putty.ppk mail.gpg mail.asc secring.gpg backup.age
  app.mobileprovision krb5.keytab store.pk8 AuthKey_1234.p8 strong.snk login.keychain login.keychain-db safe.psafe3 a.jwk
  site.publishsettings private-key.der truststore.jceks id_rsa ID_RSA id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
  id_ed25519_work id_rsa_github id_rsa-old ssh_host_rsa_key ssh_host_ed25519_key deploy_rsa github_rsa deploy_key deploy-key
  server-key signing.key host_key authorized_keys .npmrc .pnpmrc .yarnrc .yarnrc.yml .pypirc pip.conf pip.ini .gemrc .condarc
  .netrc _netrc .netrc.gpg .pgpass pgpass.conf .my.cnf my.cnf .mylogin.cnf .htpasswd .htdigest .git-credentials .dockercfg
  .dockerconfigjson .boto .s3cfg .passwd-s3fs rclone.conf .rclone.conf .terraformrc terraform.rc .databrickscfg .curlrc
  .msmtprc .fetchmailrc .vault-token .vault_pass .ansible_vault_pass vault_pass.txt vault.yml .erlang.cookie wg0.conf
  wireguard.conf credentials CREDENTIALS credentials.json credentials.csv credentials.yml.enc aws_credentials credentials.xml
  secrets.yml secrets.yaml secrets.toml secret.json .secrets .secret .secrets.toml .secrets.baseline app-secrets.yaml
  my_secrets.yaml secrets.dev.yaml secrets.prod.json secret.env.yaml k8s-secret.yaml secrets.properties passwords.txt
  password.txt passwords passwd .passwd .pwd db_password.txt db-passwords.csv passphrase.txt shadow shadow- gshadow
  api_keys.json apikeys.txt api_key.txt apikey api-key.json privatekey.txt private_key.txt private-key.json secret_key.txt
  access_keys.csv token.json .token .tokens access_token.txt github_token auth-token.txt client_secret.json
  client_secret_123.apps.json service-account.json serviceAccount-prod.json my-service-account.json gcp-key.json
  firebase-adminsdk-x.json app-firebase-adminsdk-x.json application_default_credentials.json prod.tfvars prod.auto.tfvars.json
  terraform.tfvars terraform.tfstate terraform.tfstate.backup terraform.tfstate.1700000000.backup credentials.tfrc.json
  kubeconfig kubeconfig.yaml prod.kubeconfig kubeconfig-prod google-services.json GoogleService-Info.plist key.properties
  keystore.properties local.properties local_settings.py LocalSettings.php wp-config.php local.settings.json
  appsettings.Production.json sftp-config.json .vscode/sftp.json .ftpconfig filezilla.xml sitemanager.xml
  dataSources.local.xml logins.json key4.db .bash_history .zsh_history .psql_history .python_history .node_repl_history
  .mysql_history .Rhistory prod.secret.exs secret_token.rb office.rdp disk.bek disk.tpm disk.fve default.kwallet login.keyring
  host.keypair vpn.tblk otr.private_key .muttrc .trc .tugboat .exports .extra .zhistory config.inc.php .dbeaver-data-sources.xml
  robomongo.json proftpdpasswd ventrilo_srv.ini .env.development .env.test .env.backup .env.staging.local .env.local.php
  .httr-oauth .byebug_history .lein-repl-history .pl-history .repl_history .node_history .irb-history .aider.input.history
  .aider.llm.history secret.key GitHub.sublime-settings prod.tfvars.json dev.secret.exs .streamlit/secrets.toml
  .idea/dataSources.local.xml auth.json build.pkrvars.hcl site.pubxml cwallet.sso sftp-config-alt2.json ConnectionStrings.config
  .powenv http-client.private.env.json export_credentials.cfg storage/oauth-private.key android/key.properties upload-keystore.jks functions/.env
  services/messages/secrets.yml languages/go/server/credentials.json lang/v1/api_keys.yaml locales/secrets/password.json jenkins.plugins.publish_over_ssh.BapSshPublisherPlugin.xml`);
/** Paths that are secret by their folders. */
const SECRET_FOLDERS = words(`
  /home/a/.ssh/config /home/a/.SSH/known_hosts /home/a/.aws/config home/.Aws/credentials /home/a/.gnupg/x /home/a/.kube/config.yaml
  home/.docker/config.json C:\\Users\\me\\.kube\\config /home/a/.azure/accessTokens.json /home/a/.password-store/mail/a
  /home/a/.oci/config /home/a/.config/gh/hosts.yml /home/a/.config/gcloud/properties /home/a/.m2/settings.xml
  /home/a/.gradle/gradle.properties /home/a/.composer/auth.json /www/sites/default/settings.php /www/sites/default/local.settings.inc.php
  /www/sites/default/development.services.yml /shop/app/etc/env.php /home/a/.aptos/config.yaml /app/.abstra/state.json
  /app/nbproject/private/private.properties /home/a/.emacs.d/server/server /home/a/.cargo/credentials.toml
  /home/a/.purple/accounts.xml /home/a/.irssi/config /home/a/.recon-ng/keys.db /home/a/doctl/config.yaml /home/a/config/hub
  /app/.envs/.local/.django /app/.env.d/local /run/secrets/db /var/run/secrets/a/b /proc/self/environ /proc/7/task/8/environ`);
/** Names of files in which tools keep passwords, tokens and keys. */
const TOOL_FILES = words(`
  .authinfo .authinfo.gpg netrc .netrc-work netrc.bak .pg_service.conf .rediscli_auth .cqlshrc .s3curl
  .smbcredentials sasl_passwd chap-secrets ipsec.secrets wpa_supplicant.conf opasswd master.passwd ssmtp.conf .google_authenticator
  .Xauthority .saml2aws .sentryclirc kaggle.json .viminfo .wgetrc .lftprc .offlineimaprc .mbsyncrc
  nuget.config NuGet.Config gradle.properties sops.yaml .sops.yaml db.sops.yaml private.json env.js public/env.js
  env.json pub-credentials.json default.credential azureProfile.json accessTokens.json msal_token_cache.json adc.json token.pickle cookies.txt
  cookies.sqlite krb5cc_1000 .b2_account_info k3s.yaml admin.conf super-admin.conf kubelet.conf talosconfig kube_config_cluster.yml
  kube-config kube.config .kubeconfig kubeconfig.json config.kubeconfig recovery-codes.txt github-recovery-codes.txt backup_codes.txt mnemonic.txt
  seed_phrase.txt bitwarden_export_2024.json lastpass_export.csv UTC--2016-08-17T12-27-06.000Z--5e97 work.nmconnection home.remmina vpn.openvpn my.privkey id_ed448
  fish_history ConsoleHost_history.txt server.key.txt id_rsa.txt id_rsa.b64 id_rsa.zip server.pem.gz x.pem.7z server.key.tar.gz
  .env.zip .env.1 .env.20240101 server.key.2024-05-01 server.key.bk secrets.yaml.dpkg-old .npmrc.rpmsave server.key.v2 passwords.kdbx.old
  credentials.json.xz priv_key.txt .git-credentials.bak id_ed25519.old2 ngrok.yml firebase-tools.json .edgerc .bigqueryrc .modal.toml
  .clasprc.json .claude.json .arcrc .cvspass .p4tickets .ovh.conf .wakatime.cfg .comet.config clouds.yaml prod-openrc.sh WinSCP.ini
  credentials-config.json rootkey.csv acme.json tailscaled.state .gist .lab.hcl docker-config.json dockerconfig.json pub-tokens.json
  site.pubxml.user gcloud-service-key.json .ssh.tar.gz ssh.zip ssh-backup.tgz ssh.tar.gz gnupg.zip cloudflare.ini debian.cnf buildkite-agent.cfg auth-user-pass.txt
  admin.macaroon kdewallet.kwl backend.tfbackend okta.yaml fly/.okta/okta.yaml`);
/** Files in the folders in which tools keep logins. */
const TOOL_FOLDERS = words(`
  .bzr/authentication.conf .ccloud/config.json .confluent/config.json .foundry/keystores/deployer .ibmcloud/config .op/config
  .lambda_cloud/lambda_keys .replicate/auth .acme.sh/account.conf .config/attic/config.toml .config/cachix/cachix.dhall
  .config/certbot/cli.ini .config/replicate/hosts .config/shell_gpt/.sgptrc .config/spotify-tui/client.yml .config/hub .gitcookies
  .config/upcloud/config .serverlessrc .dogrc
  /home/a/.config/glab-cli/config.yml /home/a/.config/stripe/config.toml /home/a/.config/hcloud/cli.toml /home/a/.config/scw/config.yaml
  /home/a/.config/github-copilot/hosts.json /home/a/.config/configstore/x.json /home/a/.config/argocd/config /home/a/.config/solana/id.json
  /home/a/.local/share/com.vercel.cli/auth.json /home/a/.local/share/keyrings/login C:\\Users\\a\\AppData\\Roaming\\gcloud\\x.db /home/a/.fly/config.yml
  /home/a/.snowsql/config /home/a/.dbt/profiles.yml /home/a/.kaggle/x /home/a/.bundle/config
  /home/a/.circleci/cli.yml /home/a/.cache/huggingface/token /etc/kubernetes/admin.conf /etc/davfs2/secrets
  /home/a/.cf/config.json /home/a/.step/secrets/x /home/a/.netlify/config.json /home/a/.wrangler/config/default.toml
  /home/a/.talos/config /home/a/.tsh/keys/x /home/a/.argocd/config /home/a/.aws-sso/config.yaml /home/a/.gitlab-runner/config.toml
  /etc/gitlab-runner/config.toml /home/a/.render/cli.yaml /home/a/.expo/state.json /home/a/.twilio-cli/config.json
  /home/a/.doppler/.doppler.yaml /home/a/.influxdbv2/configs /home/a/.runpod/config.toml /home/a/.jfrog/jfrog-cli.conf.v6
  /home/a/.fastly/config.toml /home/a/.exoscale/exoscale.toml /home/a/.ncftp/bookmarks /home/a/.lein/credentials.clj
  /home/a/.subversion/auth/svn.simple/0123abcd /home/a/.helm/repository/repositories.yaml /home/a/.cabal/config
  /home/a/.config/linode-cli /home/a/.config/upctl.yaml /home/a/.config/chezmoi/key.txt /home/a/.config/openstack/clouds.yaml
  /home/a/.config/syncthing/config.xml /home/a/.config/exercism/user.json /home/a/.config/io.datasette.llm/keys.json
  /home/a/.config/buildkite/config.yaml /home/a/.config/fastly/config.toml /home/a/.config/lab/lab.toml /home/a/.config/aichat/config.yaml
  /etc/dovecot/users /home/a/.fastlane/spaceship/x/cookie`).concat(
  '/Users/a/Library/Application Support/doctl/config.yaml',
);

/** Returns the name in full-width letters, which normalise to the ordinary ones. */
function fullWidth(name: string): string {
  return name.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
}

/** Ends of names that do not change which file is meant, or that mark a copy of it. */
const ENDS = [
  ...words(
    '.zip .tar.gz .7z .bk .dpkg-old .rpmsave .20240131 .2024-01-31 .v2 .backup1 ~ .bak .BAK .old .orig .save .swp .tmp .1 .git .bak~ (2) .enc .~3~ -old . / " ?x=1 #L1 ::$DATA',
  ),
  ' copy',
  ' (1)',
  ' ',
  '. ',
  '\n',
  '\r\n',
  '\u202e',
  '\u200b',
  '\ufe0f',
  '\u3164',
  '\u{e0041}',
  '\u2028',
  '\0',
];
/** Functions that disguise a name: as a copy, for Windows, in a URI, or with invisible characters. */
const DISGUISES: readonly ((name: string) => string)[] = [
  ...ENDS.map((end) => (name: string) => name + end),
  (name) => `\u202e${name}`,
  (name) => `Copy of ${name}`,
  (name) => `#${name}#`,
  (name) => `.${name}.swp`,
  (name) => name.toUpperCase(),
  (name) => `file:///w/${[...Buffer.from(name)].map((byte) => `%${byte.toString(16)}`).join('')}`,
  (name) => `file:///w/${encodeURIComponent(encodeURIComponent(`${name} `))}`,
  (name) => `file:///100%/%zz/%ff${encodeURIComponent(`/${name}`)}`,
  (name) => `git:/w/a.ts?${encodeURIComponent(JSON.stringify({ path: `/w/${name}` }))}`,
  (name) => `C:\\w\\${name}`,
  fullWidth,
  (name) => `file:///w/${encodeURIComponent(fullWidth(name))}`,
  (name) => `file:///w/${encodeURIComponent(encodeURIComponent(fullWidth(name)))}`,
  (name) => `${name.slice(0, 3)}\u0001${name.slice(3)}`,
  (name) => `file:///w/${name.slice(0, 3)}%01${name.slice(3)}`,
];
const DISGUISED = words(
  '.env server.key .git-credentials x.pem prod.env id_rsa secrets.yaml .npmrc terraform.tfvars .gist',
);
const ORDINARY = words(`
  environment.ts env.ts env.d.ts dotenv.ts prod.env.js keys.ts keyboard.key.ts monkey.py secretary.ts credentials.ts
  passwords.go tokenizer.json tokens.json tokens.ts tokenize.py id_rsa.md id_rsa.pub certificate.tsx package.json tsconfig.json
  settings.json .gitignore .eslintrc.json Dockerfile Makefile README.md secretSanta.js keyring.rs pem.ts config.yaml
  token_bucket.py authorized.ts environment.d.ts secretStore.py PasswordField.vue password.html secrets.md vault.go vault.hcl
  SecretManager.java kubeconfig.go service-account.ts history.md HISTORY.md migration_history.rb shadow.css pip.py netrc.py
  sshd.md docker-compose.yml .dockerignore .github/workflows/ci.yml .vscode/settings.json .editorconfig .prettierrc
  gradlew pom.xml settings.xml Cargo.toml go.sum main.tf variables.tf .terraform.lock.hcl appsettings.json
  Program.cs index.php settings.py urls.py manage.py api_key_view.py access_token.ts locales/en/auth.json lang/auth.json
  public/locales/de/secrets.json src/i18n/password.json translations/credentials.json lang/en/tokens.yml
  messages/pt-BR/passwords.json locales/zh-Hans-CN/secrets.yml locales/en/pages/auth.json ssh.1 bin/gist completions/ssh ssh.go clouds.tf sites.php public/key.svg keys.json
  keymap.json tokenizer_config.json special_tokens_map.json keyboard.ts environment.prod.ts environments/environment.ts
  config/environment.js history.ts useHistory.ts .history.ts secretKeeper.go keypair.ts passport.js auth.ts oauth.py
  credential_provider.py Secrets.swift keychain.swift certs.go tls.go pem_test.go ssh.ts sshConfig.ts dotenv.config.ts
  Package.resolved settings.local.json launchSettings.json turkey.py donkey.txt whiskey secretariat.txt passwordless.md environment.yml environment my.ts mysql.conf.j2
  src/env.js lib/env.js netrc.go kubeconfig_test.go seed.ts seeds.rb mnemonic.ts admin.ts admin.conf.ts cookies.ts cookie.py sops.go
  recovery.ts backup.ts backup_test.go archive.zip.ts nuget.ts privateRoute.tsx private.ts token.rs hexConfig.ts step.go
  /home/a/.config/nvim/init.lua /home/a/.config/fish/config.fish /home/a/.gem/ruby/3.0/gems/a/lib/a.rb .vscode/env.ts
  backup.sh copy.ts old.py new.ts temp.go swp.c orig.js file~ a.b.c ~ . .. a% %41 c# what? x.bak`);

describe('secret files', () => {
  it('are detected by their names and folders', () => {
    assert.ok(SECRET_NAMES.length >= 200, String(SECRET_NAMES.length));
    for (const name of [...SECRET_NAMES, ...SECRET_FOLDERS, ...TOOL_FILES, ...TOOL_FOLDERS])
      for (const path of [name, `/project/app/${name}`, `/project/${name.toUpperCase()}`])
        assert.ok(isSecretPath(path), path);
  });

  it('are detected by disguised names', () => {
    for (const name of DISGUISED)
      for (const disguise of DISGUISES)
        assert.ok(isSecretPath(disguise(name)), JSON.stringify(disguise(name)));
    const folders = [
      '/a/.ssh /config',
      '/a/.SSH./config',
      '/a/.s\u200bsh/config',
      'file:///a/%2Essh%2Fconfig',
    ];
    for (const path of folders) assert.ok(isSecretPath(path), JSON.stringify(path));
  });

  it('do not include ordinary names', () => {
    for (const name of ORDINARY)
      for (const path of [name, `/secrets/passwords/vault/${name}`, `file:///project/env/${name}`])
        assert.ok(!isSecretPath(path), path);
  });

  it('are checked quickly, even with names that are made to be slow', function () {
    this.timeout(120_000);
    const start = performance.now();
    for (const part of ['a', '/', '.', '~', '%25', '.bak', 'secret.', '-prod', '(1)', '\n'])
      isSecretPath(part.repeat(2e6 / part.length));
    // A check whose time grows faster than the name would take hours, and a busy machine needs several seconds.
    assert.ok(performance.now() - start < 60_000, 'the checks took a minute or more');
  });
});
