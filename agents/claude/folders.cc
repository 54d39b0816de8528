#include "agents/claude/folders.h"

#include <algorithm>
#include <optional>

#include "base/add_once.h"
#include "base/ascii.h"
#include "base/contains.h"
#include "base/utf8.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

constexpr size_t kMaxSlug = 200;  // characters

// Computes the client's hash as JavaScript does: 32 bits, over UTF-16 code units.
class JavaScriptHash {
 public:
  void Add(uint32_t unit) { hash_ = hash_ * 31 + unit; }

  std::string text() const {
    constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
    uint32_t left = hash_ > 0x7FFFFFFFu ? 0u - hash_ : hash_;
    std::string text;
    do {
      text.insert(text.begin(), kDigits[left % 36]);
      left /= 36;
    } while (left != 0);
    return text;
  }

 private:
  uint32_t hash_ = 0;
};

bool IsPlainId(std::string_view id) {
  return !id.empty() && id.size() <= 128 &&
         std::ranges::all_of(id, [](char c) { return IsAlnum(c) || c == '-'; });
}

// Returns the session's own projects: the directory where the client was started, and the root.
std::vector<std::string> OwnSlugs(const SetContext& context) {
  std::vector<std::string> slugs;
  AddOnce(slugs, ClaudeProjectSlug(context.start.value_or(context.root)));
  AddOnce(slugs, ClaudeProjectSlug(context.root));
  return slugs;
}

// Builds the entries below the client's directories: "~/.claude", CLAUDE_CONFIG_DIR and its
// temporary one.
class Scratch {
 public:
  Scratch(Access access, const SetContext& context, std::deque<std::string>& strings)
      : reads_(access == Access::kRead),
        context_(context),
        own_slugs_(OwnSlugs(context)),
        strings_(strings) {}

  std::vector<SetEntry> Run() {
    AddFolder({});
    // Installers put skills for all agents there, and link them into the client's directory.
    if (reads_) entries_.push_back({.tail = ".agents/skills"});
    for (const Path& folder : context_.settings_folders) {  // CLAUDE_CONFIG_DIR
      if (!folder.is_root()) AddFolder(folder);
    }
    AddTemporary();
    return std::move(entries_);
  }

 private:
  void AddFolder(const std::optional<Path>& folder) {
    folder_ = folder;
    Add("plans");
    std::vector<std::string> slugs = own_slugs_;
    if (context_.memory_root) AddOnce(slugs, ClaudeProjectSlug(*context_.memory_root));
    for (const std::string& slug : slugs) Add("projects/" + slug + "/memory");
    AddSession();
    if (!reads_) return AddPattern("agent-memory/**/*.md");
    // Files that the client's own prompts, skills and agents refer the model to.
    for (const char* name : {"CLAUDE.md", "rules", "skills", "plugins", "agents", "commands",
                             "agent-memory", "tasks"}) {
      Add(name);
    }
    AddPattern("teams/*/config.json");
  }

  // A session that enters a worktree continues in another directory below projects, so the id
  // decides.
  void AddSession() {
    if (!IsPlainId(context_.session_id)) return;
    if (!reads_) {
      return AddPattern("projects/*/" + context_.session_id + "/workflows/scripts/*.js");
    }
    for (const std::string& slug : own_slugs_) {
      Add("projects/" + slug + "/" + context_.session_id);
    }
    AddPattern("projects/*/" + context_.session_id);
    Add("image-cache/" + context_.session_id);
  }

  void AddTemporary() {
    const std::string owner = "/tmp/claude-" + std::to_string(context_.user);
    owned_ = strings_.emplace_back(owner);
    folder_ = Path::Clean(owner);
    if (reads_) Add("bundled-skills");
    if (!IsPlainId(context_.session_id)) return;
    for (const std::string& slug : own_slugs_) {
      Add(slug + "/" + context_.session_id + "/scratchpad");
      if (reads_) Add(slug + "/" + context_.session_id + "/tasks");
    }
    AddPattern("*/" + context_.session_id + "/scratchpad");
    if (reads_) AddPattern("*/" + context_.session_id + "/tasks");
  }

  SetEntry& Add(const std::string& tail) {
    SetEntry entry;
    if (folder_) entry.base = RuleBase::kAbsolute;
    const std::string whole = folder_ ? folder_->text().substr(1) : ".claude";
    entry.tail = strings_.emplace_back(whole + "/" + tail);
    entry.owned_folder = owned_;
    return entries_.emplace_back(entry);
  }

  // Patterns are for the tools only, because a mount needs a name.
  void AddPattern(const std::string& tail) {
    SetEntry& entry = Add(tail);
    if (folder_) {
      const std::string whole = EscapePattern(folder_->text().substr(1));
      entry.tail = strings_.emplace_back(whole + "/" + tail);
    }
    entry.has_pattern = true;
    entry.is_for_tools = true;
  }

  const bool reads_;
  const SetContext& context_;
  const std::vector<std::string> own_slugs_;
  std::deque<std::string>& strings_;
  std::optional<Path> folder_;
  std::string_view owned_;
  std::vector<SetEntry> entries_;
};

}  // namespace

std::string ClaudeProjectSlug(const Path& folder) {
  std::string slug;
  JavaScriptHash hash;
  std::string_view text = folder.text();
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    slug.push_back(IsAlnum(text[0]) ? text[0] : '-');
    if (point.value > 0xFFFF) {  // the client counts in UTF-16
      slug.push_back('-');
      hash.Add(0xD800u + ((point.value - 0x10000u) >> 10));
      hash.Add(0xDC00u + ((point.value - 0x10000u) & 0x3FFu));
    } else {
      hash.Add(point.value);
    }
    text.remove_prefix(std::max<size_t>(1, point.length));
  }
  if (slug.size() <= kMaxSlug) return slug;
  return slug.substr(0, kMaxSlug) + "-" + hash.text();
}

std::string OwnProjectFolders(const SetContext& context) {
  std::string names;
  const std::vector<std::string> slugs = OwnSlugs(context);
  for (const std::string& slug : slugs) names += slug + "\n";
  if (IsPlainId(context.session_id)) names += "*/" + context.session_id + "\n";
  const bool is_elsewhere =
      context.memory_root && !Contains(slugs, ClaudeProjectSlug(*context.memory_root));
  if (is_elsewhere) names += ClaudeProjectSlug(*context.memory_root) + "/memory\n";
  return names;
}

std::vector<SetEntry> ClaudeScratch(Access access, const SetContext& context,
                                    std::deque<std::string>& strings) {
  return Scratch(access, context, strings).Run();
}

}  // namespace ringfence
