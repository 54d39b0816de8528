#include "policy/sets.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "policy/client_folders.h"
#include "policy/project_place.h"

namespace ringfence {
namespace {

constexpr PathSet kSets[] = {
    {"@secrets", SetName::kSecrets, false,
     "keys, tokens and credentials; other projects' transcripts"},
    {"@claude-scratch", SetName::kClaudeScratch, true,
     "what the client shows this session: memory, plans, tool results, task output, skills"},
    {"@runs-later", SetName::kRunsLater, false,
     "files that can run code later: git hooks, CI workflows, shell start-up files"},
    {"@dotenv", SetName::kDotenv, false,
     "secrets of applications: .env and .env.*, but not .env.example"},
    {"@toolchains", SetName::kToolchains, true,
     "system headers and libraries, module and package caches"},
    {"@agent-state", SetName::kAgentState, true, "the client's own state, without its settings"},
    {"@tmp", SetName::kTmp, true, "the host's temporary directories"},
};

// Entries as a policy would spell them.
// clang-format off
constexpr WordList kSecrets(
    // keys and agents
    "~/.ssh\n~/.gnupg\n~/.pki\n~/.age\n~/.config/age\n~/.config/sops\n~/.password-store\n"
    "~/.local/share/keyrings\n~/.gnome2/keyrings\n~/.local/share/kwalletd\n"
    "~/.kde/share/apps/kwallet\n"
    "~/.config/1Password\n~/.config/op\n~/.config/Bitwarden\n~/.config/Bitwarden CLI\n"
    "~/.local/share/gnupg\n~/.bitcoin\n~/.electrum\n~/.ethereum/keystore\n"
    // clouds and clusters
    "~/.aws\n~/.azure\n~/.config/gcloud\n~/.config/doctl\n~/.config/hcloud\n~/.config/scw\n"
    "~/.oci\n~/.kube\n~/.docker/config.json\n~/.config/containers/auth.json\n~/.config/helm\n"
    "~/.terraform.d/credentials.tfrc.json\n~/.terraformrc\n~/.vault-token\n~/.config/rclone\n"
    "~/.s3cfg\n~/.boto\n~/.fly\n~/.config/netlify\n~/.local/share/com.vercel.cli\n"
    "~/.config/heroku\n~/.config/ngrok\n~/.config/cloudflared\n~/.cloudflared\n"
    // forges and package registries
    "~/.netrc\n~/_netrc\n~/.authinfo\n~/.authinfo.gpg\n~/.git-credentials\n"
    "~/.config/git/credentials\n~/.config/gh\n~/.config/glab-cli\n~/.config/hub\n"
    "~/.npmrc\n~/.yarnrc\n~/.yarnrc.yml\n~/.pypirc\n~/.config/pip/pip.conf\n"
    "~/.cargo/credentials\n~/.cargo/credentials.toml\n~/.gem/credentials\n~/.bundle/config\n"
    "~/.m2/settings.xml\n~/.m2/settings-security.xml\n~/.gradle/gradle.properties\n"
    "~/.composer/auth.json\n~/.config/composer/auth.json\n~/.nuget/NuGet/NuGet.Config\n"
    // data bases, mail, models
    "~/.pgpass\n~/.my.cnf\n~/.mylogin.cnf\n~/.config/msmtp\n~/.msmtprc\n~/.mutt\n"
    "~/.cache/huggingface/token\n~/.huggingface\n~/.config/openai\n~/.config/anthropic\n"
    "~/.codex/auth.json\n~/.gemini\n~/.config/github-copilot\n"
    // browsers and what they remember
    "~/.mozilla\n~/.thunderbird\n~/.config/google-chrome\n~/.config/chromium\n"
    "~/.config/BraveSoftware\n~/.config/microsoft-edge\n~/.config/vivaldi\n~/.config/opera\n"
    "~/snap/firefox\n~/snap/chromium\n~/.var/app/org.mozilla.firefox\n"
    "~/.var/app/com.google.Chrome\n~/.config/Slack\n~/.config/discord\n~/.config/Signal\n"
    // what was typed
    "~/.bash_history\n~/.zsh_history\n~/.zhistory\n~/.local/share/fish/fish_history\n"
    "~/.python_history\n~/.node_repl_history\n~/.psql_history\n~/.mysql_history\n"
    // the client's own credentials and history
    "~/.claude/.credentials.json\n~/.claude/history.jsonl\n"
    // the system's
    "/etc/shadow\n/etc/shadow-\n/etc/gshadow\n/etc/gshadow-\n/etc/sudoers\n"
    "/etc/sudoers.d\n/etc/ssl/private\n/etc/ssh/ssh_host_*_key\n/var/lib/private\n"
    "/Library/Keychains\n");
// clang-format on

// Opening one of these raises a privacy dialog on macOS. A project below one of them stays usable.
constexpr WordList kMacosPrivate(
    "~/Documents\n~/Desktop\n~/Pictures\n~/Library\n~/Library/Mobile Documents\n");
constexpr WordList kMacosSecrets(
    "~/Library/Keychains\n"
    "~/Pictures/Photos Library.photoslibrary\n");

// clang-format off
constexpr WordList kRunsLater(
    "**/.git/hooks\n**/.git/config\n**/config.worktree\n**/.git/info/attributes\n"
    "**/commondir\n**/.git/worktrees/*/commondir\n"
    "**/.git/modules/**/hooks\n**/.git/modules/**/config\n"
    "**/.git/remotes\n**/.git/branches\n**/.git/info/grafts\n"
    "**/.git/objects/info/alternates\n"
    "**/.git/modules/*/remotes\n**/.git/modules/*/branches\n"
    "**/.git/modules/**/info/attributes\n**/.git/modules/**/info/grafts\n"
    "**/.git/modules/**/objects/info/alternates\n"
    "**/git-rebase-todo\n**/rebase-merge/strategy\n**/.git/sequencer/opts\n"
    "**/.git/worktrees/*/sequencer/opts\n**/.git/modules/**/sequencer/opts\n"
    "**/.mcp.json\n~/.claude.json\n"
    "~/.bashrc\n~/.bash_profile\n~/.bash_login\n~/.bash_logout\n~/.bash_aliases\n"
    "~/.profile\n~/.zshrc\n~/.zshenv\n~/.zprofile\n~/.zlogin\n~/.zlogout\n"
    "~/.config/fish\n~/.kshrc\n~/.cshrc\n~/.tcshrc\n~/.login\n~/.inputrc\n"
    "~/.gitconfig\n~/.config/git\n~/.vimrc\n~/.config/nvim\n~/.emacs\n~/.emacs.d\n"
    "~/.vim\n~/.gdbinit\n~/.config/gdb\n~/.screenrc\n~/.lesskey\n"
    "~/.tmux.conf\n~/.config/tmux\n~/.pam_environment\n~/.config/environment.d\n"
    "~/.xprofile\n~/.xinitrc\n~/.xsession\n~/.xsessionrc\n~/.config/plasma-workspace\n"
    "~/.config/autostart\n~/.config/systemd/user\n~/.local/share/systemd/user\n"
    "~/.local/share/dbus-1\n~/.local/share/applications\n~/.cargo/config\n"
    "~/.cargo/config.toml\n~/.local/lib/python*/site-packages/*customize.py\n"
    "~/.local/lib/python*/site-packages/*.pth\n"
    "~/.local/bin\n~/bin\n~/Library/LaunchAgents\n");
// clang-format on

// Names of samples, which hold no secrets.
constexpr std::string_view kSamples = "*.example\n*.sample\n*.template\n*.dist\n";
// The client runs them, or starts agents by them; also below CLAUDE_CONFIG_DIR.
constexpr std::string_view kClientFolder = "**/.claude/";
constexpr WordList kClientRuns(
    "**/.claude/commands\n**/.claude/agents\n**/.claude/skills\n**/.claude/plugins\n"
    "**/.claude/hooks\n**/.claude/workflows\n**/.claude/dev-mods\n**/.claude/routines\n"
    "**/.claude/scheduled_tasks.json\n**/.claude/launch.json\n**/.claude/daemon.json\n");
// The client's own state, by which it runs programs as well: it sources the snapshots of its shell,
// and reads .config.json in the place of .claude.json. Only tools are asked about it: the client
// itself, confined as a whole, has to write it.
constexpr WordList kClientState(
    "**/.claude/shell-snapshots\n**/.claude/session-env\n**/.claude/local\n**/.claude/jobs\n"
    "**/.claude/daemon\n**/.claude/seed-admin\n**/.claude/cowork_plugins\n"
    "**/.claude/mcp-skill-archives\n**/.claude/remote-settings.json\n**/.claude/.config.json\n");
// Packages bring their own, which nobody opens or pushes.
constexpr WordList kRunsInProjects(
    "**/.cursor/mcp.json\n**/.cursor/hooks.json\n**/.gemini/settings.json\n**/.husky\n"
    "**/.githooks\n**/.github/workflows\n**/.vscode\n**/.idea\n**/.zed/tasks.json\n"
    "**/.devcontainer\n**/.devcontainer.json\n"
    "**/*.code-workspace\n**/.envrc\n");

// clang-format off
constexpr WordList kToolchains(
    "/usr/include\n/usr/lib\n/usr/lib32\n/usr/lib64\n/usr/libexec\n/usr/share\n"
    "/usr/local/include\n/usr/local/lib\n/usr/local/share\n/usr/local/go\n/usr/src\n"
    "/lib\n/lib32\n/lib64\n/opt/homebrew\n/usr/local/Cellar\n"
    "/Library/Developer/CommandLineTools\n/Applications/Xcode.app/Contents/Developer\n"
    "~/.rustup\n~/.cargo/registry\n~/.cargo/git\n~/go/pkg/mod\n~/.m2/repository\n"
    "~/.gradle/caches\n~/.gradle/wrapper\n~/.nuget/packages\n~/.npm/_cacache\n~/.nvm\n"
    "~/.local/share/pnpm\n~/.cache/yarn\n~/.cache/pip\n~/.cache/uv\n~/.local/share/uv\n"
    "~/.pyenv/versions\n~/.local/lib\n~/.gem/ruby\n~/.rbenv/versions\n~/.conan2/p\n"
    "~/.vcpkg\n~/.cache/ccache\n~/.cache/go-build\n~/.sdkman/candidates\n"
    "/nix/store\n/home/linuxbrew/.linuxbrew\n/opt/conda\n/usr/local/cuda\n"
    "/usr/local/cargo\n/usr/local/rustup\n~/miniconda3\n~/miniforge3\n~/anaconda3\n"
    "~/.local/share/virtualenvs\n~/.virtualenvs\n~/.cache/pypoetry\n~/.npm-global\n"
    "~/.npm/_logs\n~/.volta/tools\n~/.local/share/fnm\n~/.bun/install\n~/.yarn/berry\n"
    "~/.cache/pnpm\n~/.asdf/installs\n~/.local/share/mise/installs\n~/.pub-cache\n~/.hex\n"
    "~/.mix\n~/.opam\n~/.ivy2\n~/.cache/coursier\n~/.cache/composer\n~/.ghcup\n~/.stack\n"
    "~/.cabal/packages\n~/Android/Sdk\n~/.julia/packages\n/var/lib/gems\n"
    "~/.deno\n~/.platformio/packages\n");
// clang-format on

constexpr WordList kSessionTools(
    "AskUserQuestion\nBashOutput\nCronList\nEndConversation\nEnterPlanMode\nExitPlanMode\n"
    "GetGoal\nGetTask\nMcpTaskCheck\nMcpTaskResumePolling\nMcpTaskShowQuestion\n"
    "ObserverReport\nPauseGoal\nPoll\nReadNotifications\nReadWidgetContext\n"
    "RefreshMcpTools\nReportFindings\nScheduleWakeup\nSetGoal\n"
    "StructuredOutput\nSubagentHandback\nTaskCreate\nTaskGet\nTaskList\nTaskOutput\n"
    "TaskStop\nTaskUpdate\nTodoWrite\nToolSearch\nWaitForMcpServers\nWrapUp\nYield\n");

constexpr WordList kAgentHosts(
    "api.anthropic.com\n"
    "claude.ai\n"
    "console.anthropic.com\n"
    "platform.claude.com\n");

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

// Where the tail of an entry lies in the text of its list.
struct EntryPlace {
  uint16_t offset = 0;
  uint16_t length = 0;
  RuleBase base = RuleBase::kHome;
  bool has_pattern = false;
};

constexpr size_t CountOf(WordList words) {
  size_t count = 0;
  for ([[maybe_unused]] const std::string_view word : words) ++count;
  return count;
}

// A list, taken apart by the compiler: a replay expands it for each of its calls.
template <const WordList& kWords>
constexpr auto kPlaces = [] {
  std::array<EntryPlace, CountOf(kWords)> places;
  auto place = places.begin();
  for (const std::string_view word : kWords) {
    const SetEntry entry = EntryOf(word);
    const auto offset = static_cast<uint16_t>(entry.tail.data() - kWords.text().data());
    *place++ = {offset, static_cast<uint16_t>(entry.tail.size()), entry.base, entry.has_pattern};
  }
  return places;
}();

template <const WordList& kWords>
void Append(std::vector<SetEntry>& entries) {
  static_assert(kWords.text().size() <= UINT16_MAX);
  for (const EntryPlace& place : kPlaces<kWords>) {
    SetEntry& entry = entries.emplace_back();
    entry.tail = kWords.text().substr(place.offset, place.length);
    entry.base = place.base;
    entry.has_pattern = place.has_pattern;
  }
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
  entries.reserve(160);
  Append<kSecrets>(entries);
  // Other projects' transcripts: everything below but this project's folder.
  SetEntry transcripts = HomeEntry(".claude/projects");
  transcripts.except = WordList(strings.emplace_back(OwnProjectFolders(context)));
  transcripts.spares_memory = !context.memory_root;
  entries.push_back(transcripts);
  for (const Path& folder : context.settings_folders) {  // CLAUDE_CONFIG_DIR
    for (const std::string_view name : {"/.credentials.json", "/history.jsonl"}) {
      const std::string& text = strings.emplace_back(folder.text() + std::string(name));
      entries.push_back({.base = RuleBase::kAbsolute, .tail = std::string_view(text).substr(1)});
    }
    const std::string& text = strings.emplace_back(folder.text() + "/projects");
    transcripts.base = RuleBase::kAbsolute;
    transcripts.tail = std::string_view(text).substr(1);
    entries.push_back(transcripts);
  }
  if (!context.macos_names) return entries;
  Append<kMacosSecrets>(entries);
  for (const std::string_view text : kMacosPrivate) {
    if (!HoldsRoot(text, context)) entries.push_back(EntryOf(text));
  }
  return entries;
}

std::vector<SetEntry> Dotenv() {
  SetEntry plain = EntryOf("**/.env");
  plain.has_pattern = true;
  SetEntry named = EntryOf("**/.env.*");
  named.except = WordList(kSamples);
  return {plain, named};
}

std::vector<SetEntry> RunsLater(const SetContext& context, std::deque<std::string>& strings) {
  std::vector<SetEntry> entries;
  entries.reserve(128);
  Append<kRunsLater>(entries);
  Append<kClientRuns>(entries);
  for (const std::string_view word : kClientState) {
    entries.push_back(EntryOf(word));
    entries.back().is_for_tools = true;
  }
  for (const std::string_view word : kRunsInProjects) {
    entries.push_back(EntryOf(word));
    entries.back().not_in_stores = true;
  }
  for (const Path& folder : context.settings_folders) {  // CLAUDE_CONFIG_DIR
    const auto add = [&](std::string_view name) {
      const std::string& text = strings.emplace_back(folder.Child(name).text());
      entries.push_back({.base = RuleBase::kAbsolute, .tail = std::string_view(text).substr(1)});
    };
    for (const std::string_view word : kClientRuns) add(word.substr(kClientFolder.size()));
    for (const std::string_view word : kClientState) {
      add(word.substr(kClientFolder.size()));
      entries.back().is_for_tools = true;
    }
    add(".claude.json");
  }
  const ProjectPlace project(context);
  std::erase_if(entries, [&](SetEntry& entry) { return !project.LeaveOutOf(entry, strings); });
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

WordList SessionTools() { return kSessionTools; }
WordList AgentHosts() { return kAgentHosts; }

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
  entries.reserve(64);
  switch (set) {
    case SetName::kNone:
      break;
    case SetName::kSecrets:
      return Secrets(context, strings);
    case SetName::kClaudeScratch:
      return ClaudeScratch(access, context, strings);
    case SetName::kRunsLater:
      return RunsLater(context, strings);
    case SetName::kDotenv:
      return Dotenv();
    case SetName::kToolchains:
      Append<kToolchains>(entries);
      break;
    case SetName::kAgentState:
      return AgentState();
    case SetName::kTmp:
      return Tmp();
  }
  return entries;
}

}  // namespace ringfence
