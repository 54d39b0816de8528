#include "policy/sets.h"

#include <algorithm>
#include <array>

namespace ringfence {
namespace {

constexpr PathSet kSets[] = {
    {"@secrets", SetName::kSecrets, false,
     "keys, tokens and credentials; other projects' transcripts; private folders on macOS"},
    {"@claude-scratch", SetName::kClaudeScratch, true,
     "what the client makes this session read and write: task output, tool results, plans, memory"},
    {"@runs-later", SetName::kRunsLater, false,
     "files that run code when somebody else opens or runs them"},
    {"@toolchains", SetName::kToolchains, true,
     "system headers and libraries, module and package caches"},
    {"@agent-state", SetName::kAgentState, true, "the client's own state, without its settings"},
    {"@tmp", SetName::kTmp, true, "the host's temporary directories"},
};

// Entries as a policy would spell them.
// clang-format off
constexpr std::string_view kSecrets[] = {
    // keys and agents
    "~/.ssh", "~/.gnupg", "~/.pki", "~/.age", "~/.config/age", "~/.config/sops", "~/.password-store",
    "~/.local/share/keyrings", "~/.gnome2/keyrings", "~/.local/share/kwalletd", "~/.kde/share/apps/kwallet",
    "~/.config/1Password", "~/.config/op", "~/.config/Bitwarden", "~/.config/Bitwarden CLI",
    "~/.local/share/gnupg", "~/.bitcoin", "~/.electrum", "~/.ethereum/keystore",
    // clouds and clusters
    "~/.aws", "~/.azure", "~/.config/gcloud", "~/.config/doctl", "~/.config/hcloud", "~/.config/scw",
    "~/.oci", "~/.kube", "~/.docker/config.json", "~/.config/containers/auth.json", "~/.config/helm",
    "~/.terraform.d/credentials.tfrc.json", "~/.terraformrc", "~/.vault-token", "~/.config/rclone",
    "~/.s3cfg", "~/.boto", "~/.fly", "~/.config/netlify", "~/.local/share/com.vercel.cli",
    "~/.config/heroku", "~/.config/ngrok", "~/.config/cloudflared", "~/.cloudflared",
    // forges and package registries
    "~/.netrc", "~/_netrc", "~/.authinfo", "~/.authinfo.gpg", "~/.git-credentials",
    "~/.config/git/credentials", "~/.config/gh", "~/.config/glab-cli", "~/.config/hub",
    "~/.npmrc", "~/.yarnrc", "~/.yarnrc.yml", "~/.pypirc", "~/.config/pip/pip.conf",
    "~/.cargo/credentials", "~/.cargo/credentials.toml", "~/.gem/credentials", "~/.bundle/config",
    "~/.m2/settings.xml", "~/.m2/settings-security.xml", "~/.gradle/gradle.properties",
    "~/.composer/auth.json", "~/.config/composer/auth.json", "~/.nuget/NuGet/NuGet.Config",
    // data bases, mail, models
    "~/.pgpass", "~/.my.cnf", "~/.mylogin.cnf", "~/.config/msmtp", "~/.msmtprc", "~/.mutt",
    "~/.cache/huggingface/token", "~/.huggingface", "~/.config/openai", "~/.config/anthropic",
    "~/.codex/auth.json", "~/.gemini", "~/.config/github-copilot",
    // browsers and what they remember
    "~/.mozilla", "~/.thunderbird", "~/.config/google-chrome", "~/.config/chromium",
    "~/.config/BraveSoftware", "~/.config/microsoft-edge", "~/.config/vivaldi", "~/.config/opera",
    "~/snap/firefox", "~/snap/chromium", "~/.var/app/org.mozilla.firefox",
    "~/.var/app/com.google.Chrome", "~/.config/Slack", "~/.config/discord", "~/.config/Signal",
    // what was typed
    "~/.bash_history", "~/.zsh_history", "~/.zhistory", "~/.local/share/fish/fish_history",
    "~/.python_history", "~/.node_repl_history", "~/.psql_history", "~/.mysql_history",
    // the client's own credentials and history
    "~/.claude/.credentials.json", "~/.claude/history.jsonl",
    // the system's
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers",
    "/etc/sudoers.d", "/etc/ssl/private", "/etc/ssh/ssh_host_*_key", "/var/lib/private",
    "/Library/Keychains",
};
// clang-format on

// Opening one of these raises a privacy dialog on macOS. A project below one of them stays usable.
constexpr std::string_view kMacosPrivate[] = {
    "~/Documents", "~/Desktop", "~/Pictures", "~/Library", "~/Library/Mobile Documents",
};
constexpr std::string_view kMacosSecrets[] = {
    "~/Library/Keychains",
    "~/Pictures/Photos Library.photoslibrary",
};

// clang-format off
constexpr std::string_view kRunsLater[] = {
    "**/.git/hooks", "**/.git/config", "**/.git/config.worktree", "**/.git/info/attributes",
    "**/.git/modules/**/hooks", "**/.git/modules/**/config", "**/.git/worktrees/*/config.worktree",
    "**/.mcp.json", "**/.cursor/mcp.json", "**/.husky", "**/.github/workflows",
    "**/.vscode", "**/.idea", "**/*.code-workspace", "**/.envrc",
    "**/.claude/commands", "**/.claude/agents", "**/.claude/skills", "**/.claude/plugins",
    "**/.claude/hooks", "~/.claude.json",
    "~/.bashrc", "~/.bash_profile", "~/.bash_login", "~/.bash_logout", "~/.bash_aliases",
    "~/.profile", "~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.zlogin", "~/.zlogout",
    "~/.config/fish", "~/.kshrc", "~/.cshrc", "~/.tcshrc", "~/.login", "~/.inputrc",
    "~/.gitconfig", "~/.config/git", "~/.vimrc", "~/.config/nvim", "~/.emacs", "~/.emacs.d",
    "~/.tmux.conf", "~/.pam_environment", "~/.xprofile", "~/.xinitrc", "~/.xsession",
    "~/.config/autostart", "~/.config/systemd/user", "~/.local/share/applications",
    "~/.local/bin", "~/bin", "~/Library/LaunchAgents",
};
// clang-format on

// clang-format off
constexpr std::string_view kToolchains[] = {
    "/usr/include", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/share",
    "/usr/local/include", "/usr/local/lib", "/usr/local/share", "/usr/local/go", "/usr/src",
    "/lib", "/lib32", "/lib64", "/opt/homebrew", "/usr/local/Cellar",
    "/Library/Developer/CommandLineTools", "/Applications/Xcode.app/Contents/Developer",
    "~/.rustup", "~/.cargo/registry", "~/.cargo/git", "~/go/pkg/mod", "~/.m2/repository",
    "~/.gradle/caches", "~/.gradle/wrapper", "~/.nuget/packages", "~/.npm/_cacache", "~/.nvm",
    "~/.local/share/pnpm", "~/.cache/yarn", "~/.cache/pip", "~/.cache/uv", "~/.local/share/uv",
    "~/.pyenv/versions", "~/.local/lib", "~/.gem/ruby", "~/.rbenv/versions", "~/.conan2/p",
    "~/.vcpkg", "~/.cache/ccache", "~/.cache/go-build", "~/.sdkman/candidates",
};
// clang-format on

constexpr std::string_view kSessionTools[] = {
    "AskUserQuestion", "BashOutput", "CronList",       "EnterPlanMode",  "ExitPlanMode",
    "KillShell",       "ListAgents", "ReportFindings", "ScheduleWakeup", "SendMessage",
    "TaskCreate",      "TaskGet",    "TaskList",       "TaskOutput",     "TaskStop",
    "TaskUpdate",      "TodoWrite",  "ToolSearch",
};

constexpr std::string_view kAgentHosts[] = {
    "api.anthropic.com",
    "claude.ai",
    "console.anthropic.com",
    "platform.claude.com",
};

constexpr bool HasWildcard(std::string_view text) {
  return text.find('*') != std::string_view::npos;
}

constexpr SetEntry EntryOf(std::string_view text) {
  SetEntry entry;
  entry.has_pattern = HasWildcard(text);
  if (text.starts_with("~/")) {
    entry.tail = text.substr(2);
  } else if (text.starts_with('/')) {
    entry.base = RuleBase::kAbsolute;
    entry.tail = text.substr(1);
  } else {
    entry.base = RuleBase::kAnywhere;
    entry.tail = text;
  }
  return entry;
}

// The tables above, read once by the compiler.
template <size_t N>
constexpr std::array<SetEntry, N> EntriesOf(const std::string_view (&texts)[N]) {
  std::array<SetEntry, N> entries;
  for (size_t i = 0; i < N; ++i) entries[i] = EntryOf(texts[i]);
  return entries;
}
constexpr auto kSecretEntries = EntriesOf(kSecrets);
constexpr auto kMacosSecretEntries = EntriesOf(kMacosSecrets);
constexpr auto kRunsLaterEntries = EntriesOf(kRunsLater);
constexpr auto kToolchainEntries = EntriesOf(kToolchains);

void Append(std::vector<SetEntry>& entries, std::span<const SetEntry> more) {
  entries.insert(entries.end(), more.begin(), more.end());
}

SetEntry HomeEntry(std::string_view tail) {
  SetEntry entry;
  entry.tail = tail;
  return entry;
}

// A folder that holds the project would make the project unusable.
bool HoldsRoot(std::string_view text, const SetContext& context) {
  return std::ranges::any_of(context.homes, [&](const Path& home) {
    return context.root.IsInside(Path::Clean(home.text() + std::string(text.substr(1))));
  });
}

std::vector<SetEntry> Secrets(const SetContext& context, std::deque<std::string>& strings) {
  std::vector<SetEntry> entries;
  entries.reserve(kSecretEntries.size() + 8);
  Append(entries, kSecretEntries);
  // Other projects' transcripts: everything below but this project's folder.
  SetEntry transcripts = HomeEntry(".claude/projects");
  transcripts.except = strings.emplace_back(ClaudeProjectSlug(context.root));
  entries.push_back(transcripts);
  if (!context.macos_names) return entries;
  Append(entries, kMacosSecretEntries);
  for (const std::string_view text : kMacosPrivate) {
    if (!HoldsRoot(text, context)) entries.push_back(EntryOf(text));
  }
  return entries;
}

bool IsPlainId(std::string_view id) {
  return !id.empty() && id.size() <= 128 && std::ranges::all_of(id, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

std::vector<SetEntry> Scratch(Access access, const SetContext& context,
                              std::deque<std::string>& strings) {
  std::vector<SetEntry> entries;
  const auto keep = [&strings](std::string text) -> std::string_view {
    return strings.emplace_back(std::move(text));
  };
  const std::string slug = ClaudeProjectSlug(context.root);
  const std::string project = ".claude/projects/" + slug;
  entries.push_back(HomeEntry(".claude/plans"));
  entries.push_back(HomeEntry(keep(project + "/memory")));
  if (!IsPlainId(context.session_id)) return entries;
  const std::string_view owner = keep("/tmp/claude-" + std::to_string(context.user));
  const std::string session = std::string(owner.substr(1)) + "/" + slug + "/" + context.session_id;
  const auto owned = [&](std::string tail) {
    SetEntry entry;
    entry.base = RuleBase::kAbsolute;
    entry.tail = keep(std::move(tail));
    entry.owned_folder = owner;
    entries.push_back(entry);
  };
  owned(session + "/scratchpad");
  if (access == Access::kWrite) return entries;
  owned(session + "/tasks");
  entries.push_back(HomeEntry(keep(project + "/" + context.session_id + "/tool-results")));
  return entries;
}

std::vector<SetEntry> AgentState() { return {HomeEntry(".claude"), HomeEntry(".claude.json")}; }

std::vector<SetEntry> Tmp() { return {EntryOf("/tmp"), EntryOf("/var/tmp")}; }

}  // namespace

std::span<const PathSet> PathSets() { return kSets; }

const PathSet* FindPathSet(std::string_view name) {
  for (const PathSet& set : kSets) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

std::string_view SetText(SetName set) {
  for (const PathSet& s : kSets) {
    if (s.set == set) return s.name;
  }
  return "";
}

std::span<const std::string_view> SessionTools() { return kSessionTools; }
std::span<const std::string_view> AgentHosts() { return kAgentHosts; }

std::string SetEntry::text() const {
  switch (base) {
    case RuleBase::kHome:
      return tail.empty() ? "~" : "~/" + std::string(tail);
    case RuleBase::kAbsolute:
      return "/" + std::string(tail);
    case RuleBase::kRoot:
    case RuleBase::kAnywhere:
      break;
  }
  return std::string(tail);
}

std::vector<SetEntry> ExpandSet(SetName set, Access access, const SetContext& context,
                                std::deque<std::string>& strings) {
  std::vector<SetEntry> entries;
  switch (set) {
    case SetName::kNone:
      break;
    case SetName::kSecrets:
      return Secrets(context, strings);
    case SetName::kClaudeScratch:
      return Scratch(access, context, strings);
    case SetName::kRunsLater:
      Append(entries, kRunsLaterEntries);
      break;
    case SetName::kToolchains:
      Append(entries, kToolchainEntries);
      break;
    case SetName::kAgentState:
      return AgentState();
    case SetName::kTmp:
      return Tmp();
  }
  return entries;
}

std::string ClaudeProjectSlug(const Path& root) {
  std::string slug = root.text();
  for (char& c : slug) {
    const bool kept =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    if (!kept) c = '-';
  }
  return slug;
}

}  // namespace ringfence
