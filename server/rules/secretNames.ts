// Lists the names by which secretPaths.ts recognises secret files: files and folders in which tools store logins, and
// extensions, all in lower case. Sources: the manuals of these tools, GitHub's templates for .gitignore, and the 2020
// list of shhgit, a scanner for secrets. No list is complete: docs/privacy.md lists the gaps.

/** Files of tools, without the dot with which most begin. */
export const TOOL_FILES: ReadonlySet<string> = new Set([
  ...words(`
  accesstokens.json acme.json adc.json admin.conf ansible_galaxy appsettings.local.json appsettings.prod.json
  appsettings.production.json appsettings.secrets.json appsettings.staging.json arcrc auth-user-pass.txt auth.json
  authinfo authorized_keys azureprofile.json bigqueryrc boto buildkite-agent.cfg bwrc cargo-credentials chap-secrets
  chap.secrets civo.json civo.yaml civo.yml clasprc.json claude.json cloud-service-key.json cloudflare.ini
  clouds.yaml clouds.yml comet.config condarc config.inc.php connectionstrings.config controller-manager.conf
  cookie-jar cookiejar cqlshrc credentials-config.json credentials.clj curlrc cvspass databrickscfg
  datasources.local.xml dbeaver-data-sources.xml dbshell debian.cnf default.credential dev.vars docker-config.json
  dockercfg dockerconfig.json dockerconfigjson dogrc dovecot-passwd dovecot-users dovecot.passwd dovecot.users
  dovecotpasswd dovecotusers edgerc env-config.js env-config.json env.json erlang.cookie esmtprc exports extra
  fetchmailrc filezilla.xml firebase-tools.json flaskenv ftpconfig gcloud-service-key.json gemrc getmailrc
  git-credentials gitcookies github.sublime-settings gnupg google-services.json google_authenticator
  googleservice-info.plist gradle.properties gshadow hex.config hgrc htdigest htpasswd httr-oauth iceauthority
  ipsec-secrets ipsec.secrets k0s.yaml k0s.yml k3s.yaml k3s.yml kaggle.json key.properties key3.db key4.db
  keystore.properties kubelet.conf lab.hcl ldaprc legacy_credentials lesshst lftprc local.properties
  local.settings.json local_settings.py localsettings.php logins-backup.json logins.json luarocksrc master.passwd
  mbsyncrc modal.toml msmtprc muttrc my.cnf mylogin.cnf netrc ngrok.yaml ngrok.yml ngrokrc npmrc nuget.config
  offlineimaprc okta.json okta.yaml okta.yml opasswd openrc.sh otr.private_key ovh.conf p4tickets pap-secrets
  pap.secrets passwd-s3fs pause pg_service.conf pgpass pgpass.conf pip.conf pip.ini pnpmrc powenv prod.secret.exs
  proftpdpasswd pub-credentials.json pub-tokens.json pwd pypirc rclone.conf recentservers.xml rediscli_auth
  remote-sync.json renviron rke.yaml rke.yml rke2.yaml rke2.yml robomongo.json rootkey.csv s3cfg s3curl s3qlrc
  saml2aws sasl_passwd sasldb2 scheduler.conf sec.conf secret_token.rb secrets.conf sentryclirc serverlessrc
  sftp-config.json sftp.json sgptrc shadow shosts signing.properties sitemanager.xml smbcredentials snowsqlrc
  ssmtp.conf striperc super-admin.conf tailscaled.state talosconfig terraform.rc terraformrc token.pickle trc tugboat
  ventrilo_srv.ini viminfo vultr-cli.json vultr-cli.yaml vultr-cli.yml wakatime.cfg wallet.dat wgetrc winscp.ini
  wp-config.php wpa_supplicant.conf x11vncrc xauthority yarnrc yarnrc.yml zhistory`),
  'login data',
]);

/** Tools that store credentials in a folder with their name after a dot, in the home folder or a project. */
export const DOT_FOLDERS: ReadonlySet<string> = new Set(
  words(`
  abstra acme.sh aliyun aptos argocd aws aws-sso awsvault azure azure-devops bitcoin bluemix bzr ccloud cf chef civo
  cloudflared confluent continuum databricks davfs2 dbt docker doppler electrum env.d envs ethereum exoscale expo
  fastly fly foundry gitlab-runner gnupg gopass gpg gsutil httpie huggingface ibmcloud influxdbv2 jfrog kaggle
  keybase kube lambda_cloud lein lftp linode mc minikube mitmproxy ncftp near-credentials ngrok ngrok2 oci okta op
  password-store railway rancher render replicate runpod secret secrets snowflake snowsql ssh step supabase talos
  tccli terraform.d tsh twilio-cli vercel vnc weechat wrangler`),
);

/** Tools that store credentials in the system's folder for settings. */
export const SETTINGS_FOLDERS: ReadonlySet<string> = new Set([
  ...words(`
  .jira .wrangler aerc age aichat akamai-cli anthropic argocd aria2 atlascli attic atuin aws azure bitwarden borg
  buildkite cachix certbot circleci cloudflared com.vercel com.vercel.cli configstore consul dart databricks dbt
  discord doctl exercism exoscale fastly fauna filezilla fly flyctl gcloud gh gitea github-copilot glab-cli goa-1.0
  gopass hcloud helm heroku hexchat himalaya httpie hub hut io.datasette.llm irssi isync jgit jira kaggle keybase
  keyrings kube kwalletd lab lftp linode-cli lpass mongocli mongodb msmtp mutt neomutt neonctl netlify ngrok nomad
  oci offlineimap op openai openstack planetscale pypoetry python_keyring railway rbw rclone remmina render replicate
  scw shell_gpt snowflake solana sops spotify-tui step stripe supabase syncthing tea teleport transmission
  transmission-daemon turso twine upcloud vault vdirsyncer vercel vercel.cli weechat wrangler yandex-cloud`),
  'bitwarden cli',
]);

/** Folders whose files are all secret, each with its parent, as their own names are ordinary. */
export const SECRET_FOLDERS: readonly string[] = words(`
  .emacs.d/server .helm/repository .subversion/auth nbproject/private run/secrets`);

/** Files that only their folders mark as secret. */
export const FILES_IN_FOLDERS: readonly string[] = words(`
  .bundle/config .cabal/config .cache/huggingface/stored_tokens .cache/huggingface/token .cassandra/credentials
  .circleci/cli.yml .config/chezmoi/key.txt .config/hub .config/linode-cli .config/upctl.yaml .config/upctl.yml
  .irssi/config .m2/settings-security.xml .m2/settings.xml .netlify/config.json .purple/accounts.xml
  .recon-ng/keys.db .travis/config.yml app/etc/env.php config/hub davfs2/secrets doctl/config.yaml doctl/config.yml
  dovecot/users gitlab-runner/config.toml irssi/config purple/accounts.xml recon-ng/keys.db`);

/** Extensions of keys, and of files that are encrypted with a password. */
export const KEY_EXTENSIONS: readonly string[] = words(`
  1pif 1pux age agilekeychain asc azureauth bcfks bek bks cer crt cscfg csr der enpassdb fve gpg jceks jks jwk jwks
  jwt kdb kdbx key keychain keychain-db keypair keyring keystore keytab kwallet kwl macaroon mobileconfig
  mobileprovision nmconnection openvpn opvault ovpn p12 p8 pass passwd pem pfx pgp pk8 pkcs12 pkcs8 ppk privkey
  provisionprofile psafe3 psk publishsettings pubxml pubxml.user pvk rdg rdp remmina seckey snk sshkey sso tblk
  tfbackend tfplan tpm truststore`);

/** Extensions of data files, which can hold secrets. */
export const DATA_EXTENSIONS: readonly string[] = words(`
  b64 cfg cnf conf config csv dat db enc env exs ini json json5 jsonc local plist properties props text toml tsv txt
  xml yaml yml`);

/** Extensions of code: code about secrets is not secret. */
export const CODE_EXTENSIONS: readonly string[] = words(`
  c cc ch cpp cs css go h hc hh hpp htm html ipynb java kt kts md mdx php py pyi rb rs scss sh svelte swift vue`);

/** Extensions that users and programs append to the name of a copy. */
export const COPY_EXTENSIONS: readonly string[] = words(`
  7z archive archived bac before bk bkp broken bz2 cab deleted disabled dpkg-bak dpkg-dist dpkg-new dpkg-old enc git
  gz lz4 new orig original pacnew pacorig pacsave prev previous rar rej removed rpmnew rpmorig rpmsave sav tar tbz
  tbz2 temp tgz tmp txz ucf-dist ucf-old unused xz zip zst`);

/** Names of stages and of other variants of settings, as in `.env.production`. */
export const STAGES: readonly string[] = words(`
  ci default dev devel development docker example local private prod production qa sample shared stage staging
  template test testing uat`);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
