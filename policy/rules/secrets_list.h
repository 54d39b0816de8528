// The names of @secrets. A name belongs here if a program keeps in it credentials that work without
// a further secret, or a record of what the user typed or browsed, and if ordinary builds and tests
// do not need it. Each group cites the documentation; fixtures/sets lists the names that were left
// out, with the reasons. Names below the home contain no patterns: to hide the matches of a
// pattern, a sandbox would have to list each directory of the home when it starts.
#pragma once

#include "policy/rules/word_list.h"

namespace ringfence {

// Entries in the syntax of a policy.
// clang-format off
constexpr WordList kSecrets(
    // keys and agents: ssh(1) FILES, gpg(1), pki of NSS, age, sops, pass(1), the desktops' key
    // rings, Keybase, step-ca, mkcert, acme.sh, google-authenticator(1), X(7) and ICE
    "~/.ssh\n~/.gnupg\n~/.pki\n~/.local/share/pki\n~/.age\n~/.config/age\n~/.config/sops\n"
    "~/.password-store\n~/.local/share/keyrings\n~/.gnome2/keyrings\n~/.local/share/kwalletd\n"
    "~/.kde/share/apps/kwallet\n~/.kde4/share/apps/kwallet\n~/.local/share/gnupg\n"
    "~/.config/keybase\n~/.minisign\n~/.step\n~/.local/share/mkcert\n~/.acme.sh\n~/.cert\n"
    "~/.google_authenticator\n~/.putty\n~/.config/putty\n~/.Xauthority\n~/.ICEauthority\n"
    "~/.secrets\n~/.credentials\n"
    // password managers: 1Password, Bitwarden, rbw, KeePassXC, LastPass, gopass, Buttercup,
    // Proton Pass, NordPass, Infisical, Doppler
    "~/.config/1Password\n~/.config/op\n~/.op\n~/.config/Bitwarden\n~/.config/Bitwarden CLI\n"
    "~/.config/rbw\n~/.local/share/rbw\n~/.cache/rbw\n~/.config/keepassxc\n~/.cache/keepassxc\n"
    "~/.keepass\n~/.lpass\n~/.config/lpass\n~/.local/share/lpass\n~/.config/gopass\n"
    "~/.local/share/gopass\n~/.config/Buttercup\n~/.config/Proton Pass\n~/.config/nordpass\n"
    "~/.infisical\n~/infisical-keyring\n~/.doppler\n"
    // wallets: Bitcoin Core, Electrum, geth, Solana, Foundry, Exodus, Monero, lnd, Sui, NEAR, dfx
    "~/.bitcoin\n~/.electrum\n~/.ethereum/keystore\n~/.config/solana\n~/.foundry/keystores\n"
    "~/.config/Exodus\n~/.config/atomic\n~/.bitmonero\n~/Monero\n~/.litecoin\n~/.zcash\n~/.lnd\n"
    "~/.sui\n~/.aptos\n~/.near-credentials\n~/.config/dfx/identity\n"
    // clouds: the command line tools of AWS (with aws-vault, saml2aws, granted, okta-aws-cli),
    // Azure, Google, and of each provider named
    "~/.aws\n~/.awsvault\n~/.saml2aws\n~/.granted\n~/.okta\n~/.azure\n~/.config/gcloud\n"
    "~/.gsutil\n~/.boto\n~/.config/doctl\n~/.config/hcloud\n~/.config/scw\n~/.oci\n"
    "~/.config/linode-cli\n~/.vultr-cli.yaml\n~/.config/exoscale\n~/.config/openstack\n"
    "~/.ovh.conf\n~/.aliyun\n~/.tccli\n~/.bluemix\n~/.cf\n~/.config/yandex-cloud\n"
    "~/.config/ionosctl\n~/.civo.json\n~/.config/upctl.yaml\n~/.edgerc\n~/.config/fastly\n"
    "~/.fly\n~/.railway\n~/.render\n~/.config/netlify\n~/.netlify\n"
    "~/.local/share/com.vercel.cli\n~/.config/heroku\n~/.wrangler\n~/.config/.wrangler\n"
    "~/.config/cloudflared\n~/.cloudflared\n~/.config/ngrok\n~/.ngrok2\n~/.supabase\n"
    "~/.config/firebase\n~/.config/configstore/firebase-tools.json\n~/.serverlessrc\n"
    // storage and backup: rclone, s3cmd, s3fs, MinIO, b2, Syncthing, Borg, Kopia, davfs2, Samba
    "~/.config/rclone\n~/.rclone.conf\n~/.s3cfg\n~/.passwd-s3fs\n~/.mc\n~/.b2_account_info\n"
    "~/.config/b2\n~/.dropbox_uploader\n~/.config/syncthing\n~/.local/state/syncthing\n"
    "~/.config/borg\n~/.config/kopia\n~/.davfs2/secrets\n~/.smbcredentials\n"
    // clusters and provisioning: kubectl, Docker, Podman, Helm, minikube, k3d, Rancher, Argo CD,
    // Talos, OpenShift Local, Lens, Terraform, Pulumi, Vault, Teleport, Ansible, Chef, Puppet
    "~/.kube\n~/.docker/config.json\n~/.dockercfg\n~/.config/containers/auth.json\n"
    "~/.config/helm\n~/.helm\n~/.minikube\n~/.config/k3d\n~/.rancher\n~/.config/argocd\n"
    "~/.argocd\n~/.talos\n~/.crc\n~/.config/Lens\n~/.terraform.d/credentials.tfrc.json\n"
    "~/.terraformrc\n~/.tofurc\n~/.pulumi/credentials.json\n~/.vault-token\n~/.tsh\n"
    "~/.ansible/galaxy_token\n~/.vault_pass\n~/.vault_pass.txt\n~/.chef\n~/.puppetlabs\n"
    "~/.vagrant.d/data\n"
    // forges and other version control: git-credential-store(1), Git Credential Manager, gh, glab,
    // hub, tea, hut, lab, Gerrit, Phabricator, Launchpad, osc, copr, snapcraft, dput(1), svn, p4
    "~/.netrc\n~/_netrc\n~/.authinfo\n~/.authinfo.gpg\n~/.git-credentials\n"
    "~/.config/git/credentials\n~/.git-credential-cache\n~/.cache/git/credential\n~/.gcm\n"
    "~/.gitcookies\n~/.config/gh\n~/.config/glab-cli\n~/.config/hub\n~/.config/tea\n"
    "~/.config/hut\n~/.config/lab\n~/.gist\n~/.python-gitlab.cfg\n~/.arcrc\n~/.jira.d\n"
    "~/.launchpadlib\n~/.cache/launchpadlib\n~/.oscrc\n~/.config/osc\n~/.config/copr\n"
    "~/.fedora.cert\n~/.local/share/snapcraft\n~/.dput.cf\n~/.reportbugrc\n~/.subversion/auth\n"
    "~/.cvspass\n~/.p4tickets\n~/.bazaar/authentication.conf\n"
    // package registries: npm, Yarn, pnpm, Bun, PyPI, pip, Poetry, uv, conda, Cargo, RubyGems,
    // Maven, Gradle, sbt, Ivy, Coursier, Composer, NuGet, pub, Hex, Conan, LuaRocks, PAUSE, JFrog
    "~/.npmrc\n~/.yarnrc\n~/.yarnrc.yml\n~/.config/pnpm/rc\n~/.config/pnpm/auth.ini\n"
    "~/.bunfig.toml\n~/.pypirc\n~/.config/pip/pip.conf\n~/.pip/pip.conf\n"
    "~/.config/pypoetry/auth.toml\n~/.local/share/uv/credentials\n~/.continuum\n"
    "~/.rattler/credentials.json\n~/.cargo/credentials\n~/.cargo/credentials.toml\n"
    "~/.gem/credentials\n~/.local/share/gem/credentials\n~/.bundle/config\n"
    "~/.m2/settings.xml\n~/.m2/settings-security.xml\n~/.gradle/gradle.properties\n"
    "~/.sbt/.credentials\n~/.sbt/credentials\n~/.ivy2/.credentials\n"
    "~/.config/coursier/credentials.properties\n~/.composer/auth.json\n"
    "~/.config/composer/auth.json\n~/.nuget/NuGet/NuGet.Config\n~/.config/NuGet/NuGet.Config\n"
    "~/.config/dart/pub-credentials.json\n~/.pub-cache/credentials.json\n~/.hex/hex.config\n"
    "~/.conan2/credentials.json\n~/.conan/.conan.db\n~/.luarocks/upload_config.lua\n~/.pause\n"
    "~/.jfrog\n~/.config/cloudsmith\n~/.wasmer/wasmer.toml\n~/.expo/state.json\n"
    "~/.appstoreconnect\n~/.private_keys\n~/.fastlane/spaceship\n~/.android/adbkey\n"
    // continuous integration and services: CircleCI, Travis, Buildkite, Jenkins, Stripe, Twilio,
    // Sentry, Datadog, Snyk, Postman, Insomnia, HTTPie
    "~/.circleci\n~/.travis\n~/.config/buildkite.yaml\n~/.jenkins/secrets\n~/.config/stripe\n"
    "~/.twilio-cli\n~/.sentryclirc\n~/.dogrc\n~/.config/configstore/snyk.json\n~/.postman\n"
    "~/.config/Postman\n~/.config/Insomnia\n~/.config/httpie\n~/.httpie\n~/.contentfulrc.json\n"
    // databases: libpq "The Password File", mysql_config_editor(1), odbc.ini, mongosh, cqlsh,
    // ClickHouse, InfluxDB, Snowflake, Databricks, dbt, DuckDB, DBeaver, pgAdmin, Workbench, the
    // command line tools of hosted ones
    "~/.pgpass\n~/.pg_service.conf\n~/.my.cnf\n~/.mylogin.cnf\n~/.odbc.ini\n~/.mongodb\n"
    "~/.dbshell\n~/.cassandra\n~/.clickhouse-client\n~/.influxdbv2\n~/.snowsql\n~/.snowflake\n"
    "~/.config/snowflake\n~/.databrickscfg\n~/.databricks\n~/.dbt/profiles.yml\n"
    "~/.duckdb/stored_secrets\n~/.local/share/DBeaverData\n~/.config/beekeeper-studio\n"
    "~/.pgadmin\n~/.mysql/workbench\n~/.config/turso\n~/.config/planetscale\n"
    "~/.config/neonctl\n~/.cockroach-certs\n~/.config/edgedb\n~/.confluent\n~/.config/rpk\n"
    // mail: msmtp(1), mutt(1), fetchmail(1), getmail(1), mbsync(1), offlineimap(1), aerc, himalaya
    "~/.config/msmtp\n~/.msmtprc\n~/.esmtprc\n~/.mutt\n~/.muttrc\n~/.config/mutt\n"
    "~/.config/neomutt\n~/.fetchmailrc\n~/.getmail\n~/.mbsyncrc\n~/.config/isyncrc\n"
    "~/.offlineimaprc\n~/.config/offlineimap\n~/.config/aerc\n~/.config/himalaya\n~/.vdirsyncer\n"
    "~/.config/vdirsyncer\n"
    // models and agents: Hugging Face, OpenAI, Anthropic, Codex, Gemini, Copilot, Cursor, aider,
    // Continue, opencode, Crush, Goose, Qwen, Amp, Augment, Codeium, Amazon Q, Kiro, Cline, llm,
    // aichat, sgpt, Ollama, Replicate, Modal, Kaggle, Comet, ClearML, MLflow, RunPod, vast.ai
    "~/.cache/huggingface/token\n~/.cache/huggingface/stored_tokens\n~/.huggingface\n"
    "~/.config/openai\n~/.openai\n~/.config/anthropic\n~/.anthropic\n~/.codex/auth.json\n"
    "~/.codex/history.jsonl\n~/.gemini\n~/.config/github-copilot\n~/.copilot\n"
    "~/.cursor/mcp.json\n~/.config/Cursor/User/globalStorage\n"
    "~/.config/Code/User/globalStorage\n~/.aider.conf.yml\n~/.aider\n~/.continue\n"
    "~/.local/share/opencode/auth.json\n~/.local/share/opencode/mcp-auth.json\n"
    "~/.config/crush\n~/.local/share/crush\n~/.config/goose/secrets.yaml\n~/.qwen\n"
    "~/.local/share/amp\n~/.augment\n~/.codeium\n~/.local/share/amazon-q\n"
    "~/.local/share/kiro-cli\n~/.cline/data\n~/.config/io.datasette.llm\n~/.config/aichat\n"
    "~/.config/shell_gpt\n~/.ollama/id_ed25519\n~/.config/replicate\n~/.modal.toml\n~/.kaggle\n"
    "~/.comet.config\n~/clearml.conf\n~/.mlflow/credentials\n~/.runpod\n~/.vast_api_key\n"
    "~/.config/vastai\n~/.local/share/jupyter/runtime\n~/.Renviron\n"
    // networks: OpenVPN, NetworkManager's certificates, Tailscale, ZeroTier, NordVPN, Proton VPN,
    // AnyConnect, GlobalProtect; remote desktops and file transfer
    "~/.openvpn\n~/.local/share/networkmanagement\n~/.local/share/tailscale\n"
    "~/.zeroTierOneAuthToken\n~/.config/nordvpn\n~/.config/protonvpn\n~/.cisco\n"
    "~/.GlobalProtect\n~/.vnc\n~/.config/tigervnc\n~/.config/remmina\n~/.local/share/remmina\n"
    "~/.remmina\n~/.anydesk\n~/.config/rustdesk\n~/.config/filezilla\n~/.filezilla\n"
    "~/.local/share/lftp\n~/.lftp\n~/.ncftp\n"
    // browsers and messengers: their profile directories
    "~/.mozilla\n~/.config/mozilla\n~/.librewolf\n~/.waterfox\n~/.zen\n~/.thunderbird\n"
    "~/.config/google-chrome\n~/.config/google-chrome-beta\n~/.config/google-chrome-unstable\n"
    "~/.config/chromium\n~/.config/BraveSoftware\n~/.config/microsoft-edge\n~/.config/vivaldi\n"
    "~/.config/opera\n~/.local/share/epiphany\n~/.local/share/qutebrowser\n"
    "~/.local/share/torbrowser\n~/snap/firefox\n~/snap/chromium\n~/snap/thunderbird\n~/.var/app\n"
    "~/.config/Slack\n~/.config/discord\n~/.config/Signal\n~/.config/Element\n"
    "~/.config/Microsoft\n~/.config/teams-for-linux\n~/.local/share/TelegramDesktop\n"
    "~/.config/Mattermost\n~/.purple\n~/.config/hexchat\n~/.irssi\n~/.weechat\n~/.config/weechat\n"
    // typed or copied text: HISTFILE of bash(1) and zsh(1), readline's programs, fish, nushell,
    // PowerShell, atuin, McFly, xonsh, the consoles' own names, clipboard managers
    "~/.bash_history\n~/.zsh_history\n~/.zhistory\n~/.local/share/fish/fish_history\n"
    "~/.python_history\n~/.node_repl_history\n~/.psql_history\n~/.mysql_history\n~/.history\n"
    "~/.sh_history\n~/.ksh_history\n~/.ash_history\n~/.xonsh_history\n~/.sqlite_history\n"
    "~/.rediscli_history\n~/.irb_history\n~/.pry_history\n~/.php_history\n~/.scala_history\n"
    "~/.duckdb_history\n~/.bun_repl_history\n~/.gdb_history\n~/.utop-history\n~/.Rhistory\n"
    "~/.clickhouse-client-history\n~/.influx_history\n~/.mycli-history\n"
    "~/.histfile\n~/.bash_sessions\n~/.zsh_sessions\n~/.config/nushell/history.txt\n"
    "~/.config/nushell/history.sqlite3\n~/.local/share/powershell\n~/.local/share/atuin\n"
    "~/.local/share/mcfly\n~/.local/share/xonsh\n~/.local/share/zsh/history\n"
    "~/.local/state/bash\n~/.local/state/zsh\n~/.ipython/profile_default/history.sqlite\n"
    "~/.config/pgcli/history\n~/.config/litecli/history\n~/.lldb\n~/.octave_hist\n"
    "~/.local/share/klipper\n~/.cache/cliphist\n~/.local/share/copyq\n"
    // the system's: shadow(5), sudoers(5), sshd(8), wg-quick(8), ipsec.secrets(5), pppd(8),
    // NetworkManager "keyfile", certbot, Kubernetes and k3s, krb5, PAM, mail servers; secrets of containers and
    // units: Docker "Manage sensitive data", Kubernetes "Service Accounts", systemd "Credentials"
    "/etc/shadow\n/etc/shadow-\n/etc/gshadow\n/etc/gshadow-\n/etc/security/opasswd\n"
    "/etc/sudoers\n/etc/sudoers.d\n/etc/ssl/private\n/etc/pki/tls/private\n/etc/letsencrypt\n"
    "/etc/ssh/ssh_host_*_key\n/etc/krb5.keytab\n/etc/wireguard\n/etc/openvpn\n"
    "/etc/ipsec.secrets\n/etc/ipsec.d/private\n/etc/swanctl/private\n/etc/ppp/chap-secrets\n"
    "/etc/ppp/pap-secrets\n/etc/NetworkManager/system-connections\n/etc/wpa_supplicant\n"
    "/var/lib/iwd\n/var/lib/tailscale\n/var/lib/zerotier-one\n/var/lib/tor\n/etc/kubernetes\n"
    "/var/lib/kubelet\n/etc/rancher\n/var/lib/rancher\n/etc/gitlab-runner\n"
    "/etc/mysql/debian.cnf\n/etc/postfix/sasl_passwd\n/etc/exim4/passwd.client\n"
    "/etc/msmtprc\n/etc/davfs2/secrets\n/var/lib/samba/private\n/var/lib/private\n"
    "/run/secrets\n/run/credentials\n/Library/Keychains\n");
// clang-format on

// Opening one of these raises a privacy dialog on macOS. A project below one of them remains
// usable.
constexpr WordList kMacosPrivate(
    "~/Documents\n~/Desktop\n~/Pictures\n~/Library\n~/Library/Mobile Documents\n");
constexpr WordList kMacosSecrets(
    "~/Library/Keychains\n"
    "~/Pictures/Photos Library.photoslibrary\n");

}  // namespace ringfence
