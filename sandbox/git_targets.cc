#include "sandbox/git_targets.h"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/text.h"
#include "policy/files/resolve.h"
#include "sandbox/git_values.h"
#include "sandbox/git_variables.h"

namespace ringfence {
namespace {

constexpr size_t kMaxGitText = size_t{1} << 20;
constexpr size_t kMaxGitFolders = 512;  // directories searched for repositories
constexpr size_t kMaxNamesListed = 10'000;
constexpr int kMaxIncludes = 10;  // as in git
constexpr int kMaxModuleDepth = 8;
constexpr size_t kMaxWork = 10'000;

// githooks(5)
constexpr std::string_view kHooks =
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit "
    "prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push "
    "pre-receive update proc-receive post-receive post-update push-to-checkout "
    "reference-transaction pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman "
    "p4-changelist p4-pre-submit p4-prepare-changelist p4-post-changelist post-index-change";

// Returns false if `text` is already in the sorted list.
bool Insert(std::vector<std::string>& sorted, const std::string& text) {
  const auto at = std::ranges::lower_bound(sorted, text);
  if (at != sorted.end() && *at == text) return false;
  sorted.insert(at, text);
  return true;
}

class TargetFinder {
 public:
  TargetFinder(const GitPlaces& places, const FileView& files) : places_(places), files_(files) {}

  Result<std::vector<GitTarget>> Find() {
    FindShared();
    ReadEnvironment();
    FindRepositories();
    if (failure_) return *failure_;
    return std::move(targets_);
  }

 private:
  // A variable, with the configuration file or the environment variable that sets it.
  struct Setting {
    GitVariable variable;
    std::string file;
    std::string from = {};
  };

  // --- configuration ---

  void FindShared() {
    std::vector<std::string> files = {"/etc/gitconfig"};
    for (const Path& home : places_.homes) {
      files.push_back(home.Child(".gitconfig").text());
      files.push_back(home.Child(".config/git/config").text());
    }
    for (const std::string& file : files) ReadConfig(file, shared_);
  }

  void ReadEnvironment() {
    GitEnvironment given = ReadGitEnvironment(places_.environment);
    for (GitEnvironment::Setting& setting : given.settings) {
      if (KindOfValue(setting.variable) == GitValueKind::kInclude) {
        given.config_files.push_back({setting.variable.value, setting.from});
      }
      shared_.push_back({std::move(setting.variable), places_.root.text() + "/", setting.from});
    }
    for (const GitEnvironment::File& file : given.config_files) {
      const std::string path = Below(places_.root.text(), file.path);
      AddTarget(path, file.from);
      ReadConfig(path, shared_);
    }
    if (!given.repository.empty()) {
      AddRepository(Below(places_.root.text(), given.repository), places_.root);
    }
  }

  static std::string Below(const std::string& folder, const std::string& path) {
    return path.starts_with('/') ? path : folder + "/" + path;
  }

  // Reads each file once, even if it is included several times.
  void ReadConfig(const std::string& file, std::vector<Setting>& settings) {
    std::vector<std::string> seen;
    ReadIncluded(file, settings, seen, 0);
  }

  void ReadIncluded(const std::string& file, std::vector<Setting>& settings,
                    std::vector<std::string>& seen, int depth) {
    const Walked walked = Walk(file, files_);
    if (!walked.EndsAt(FileKind::kFile)) return;
    if (!Insert(seen, walked.end.text()) || !MayGoOn(walked.end)) return;
    const std::optional<std::string> text = TextOf(walked.end);
    if (!text) return;
    for (GitVariable& variable : ReadGitVariables(*text)) {
      const bool is_include =
          KindOfValue(variable) == GitValueKind::kInclude && depth < kMaxIncludes;
      // Follows conditional includes too: a condition that is false now can become true later.
      if (is_include) {
        for (const std::string& path : Absolute(variable.value, FolderOf(file))) {
          ReadIncluded(path, settings, seen, depth + 1);
        }
      }
      settings.push_back({std::move(variable), file});
    }
  }

  // Limits the work: a command could write so much configuration that no start would finish.
  bool MayGoOn(const Path& file) {
    if (++work_ > kMaxWork && !failure_) {
      failure_ = Error{Error::Kind::kInvalidConfig, file.text(),
                       "this git configuration names too many files to guard",
                       "remove what you did not write in it"};
    }
    return !failure_;
  }

  // A file that git cannot read has no effect. Any other error is a failure.
  std::optional<std::string> TextOf(const Path& file) {
    Result<std::string> text = files_.ReadText(file, kMaxGitText);
    if (text) return std::move(*text);
    const int code = text.error().code;
    const bool is_gone = code == ENOENT || code == ENOTDIR || code == EACCES;
    const bool is_no_file = code == EINVAL;
    if (!is_gone && !is_no_file && !failure_) failure_ = text.error();
    return std::nullopt;
  }

  static std::string FolderOf(const std::string& file) { return file.substr(0, file.rfind('/')); }

  // Expands "~/" below each home.
  std::vector<std::string> Absolute(const std::string& path, const std::string& folder) const {
    if (path.empty()) return {};
    if (!path.starts_with('~')) return {Below(folder, path)};
    std::vector<std::string> all;
    const size_t slash = path.find('/');
    if (slash != 1) return {};  // another user's home
    for (const Path& home : places_.homes) all.push_back(home.text() + path.substr(slash));
    return all;
  }

  // --- repositories ---

  void FindRepositories() {
    for (Path at = places_.root; !at.is_root(); at = at.Parent()) {
      if (AddRepositoryAt(at)) break;
    }
    size_t looked_into = 0;
    std::vector<Path> folders = {places_.root};
    for (int depth = 0; depth < 2; ++depth) {
      std::vector<Path> below;
      for (const Path& folder : folders) {
        if (++looked_into > kMaxGitFolders) return;
        AddRepositoriesBelow(folder, below);
      }
      folders = std::move(below);
    }
  }

  void AddRepositoriesBelow(const Path& folder, std::vector<Path>& below) {
    const auto entries = files_.List(folder, kMaxNamesListed);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
      const bool may_be_folder =
          entry.kind == FileKind::kDirectory || entry.kind == FileKind::kMissing;
      if (!may_be_folder || entry.name == ".git" || entry.name == "node_modules") continue;
      below.push_back(folder.Child(entry.name));
      AddRepositoryAt(below.back());
    }
  }

  FileKind KindOfFile(const Path& path) const { return files_.KindOr(FileKind::kMissing, path); }

  // Returns true if `tree` is the work tree of a repository.
  bool AddRepositoryAt(const Path& tree) {
    const Path git = tree.Child(".git");
    const FileKind kind = KindOfFile(git);
    if (kind == FileKind::kMissing) return false;
    if (kind == FileKind::kDirectory || kind == FileKind::kLink) AddRepository(git.text(), tree);
    if (kind == FileKind::kFile) AddLinkedRepository(git, tree);
    return true;
  }

  // A ".git" file names the repository, which can share the configuration of another one
  // (gitrepository-layout(5), "commondir").
  void AddLinkedRepository(const Path& file, const Path& tree) {
    constexpr std::string_view kKey = "gitdir: ";
    const std::optional<std::string> text = TextOf(file);
    if (!text || !text->starts_with(kKey)) return;
    const std::string name = text->substr(kKey.size(), text->find('\n') - kKey.size());
    const std::string git = Below(tree.text(), name);
    const Walked walked = Walk(git, files_);
    // git does not accept a directory without "HEAD" as a repository.
    if (walked.stop != Walked::Stop::kEnd) return;
    if (KindOfFile(walked.end.Child("HEAD")) == FileKind::kMissing) return;
    AddRepository(git, tree);
    const Walked common = Walk(git + "/commondir", files_);
    if (common.stop != Walked::Stop::kEnd) return;
    const std::optional<std::string> led = TextOf(common.end);
    if (!led) return;
    AddRepository(Below(git, led->substr(0, led->find('\n'))), tree);
  }

  void AddRepository(const std::string& git, const Path& tree) {
    std::vector<Setting> settings;
    for (const char* name : {"/config", "/config.worktree"}) ReadConfig(git + name, settings);
    Add(settings, tree);
    Add(shared_, tree);
    AddModules(Path::Clean(git + "/modules"), tree, 0);
  }

  // Adds the repositories of submodules: a directory each, nested if their names have slashes.
  void AddModules(const Path& folder, const Path& tree, int depth) {
    if (depth >= kMaxModuleDepth || KindOfFile(folder) != FileKind::kDirectory) return;
    const auto entries = files_.List(folder, kMaxNamesListed);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
      const Path module = folder.Child(entry.name);
      if (!MayGoOn(module)) return;
      if (KindOfFile(module.Child("HEAD")) == FileKind::kFile) {
        AddModule(module, tree, depth);
      } else if (entry.kind != FileKind::kFile) {
        AddModules(module, tree, depth + 1);
      }
    }
  }

  void AddModule(const Path& module, const Path& tree, int depth) {
    std::vector<Setting> settings;
    ReadConfig(module.Child("config").text(), settings);
    Path own_tree = tree;
    for (const Setting& setting : settings) {
      if (setting.variable.name() != "core.worktree") continue;
      const Walked walked = Walk(module.text() + "/" + setting.variable.value, files_);
      if (walked.stop == Walked::Stop::kEnd) own_tree = walked.end;
    }
    Add(settings, own_tree);
    AddModules(module.Child("modules"), own_tree, depth + 1);
  }

  // --- targets ---

  void Add(const std::vector<Setting>& settings, const Path& tree) {
    for (const Setting& setting : settings) AddTargets(setting, tree);
  }

  void AddTargets(const Setting& setting, const Path& tree) {
    const GitValueKind kind = KindOfValue(setting.variable);
    const std::string& value = setting.variable.value;
    if (kind == GitValueKind::kInclude) return AddPath(setting, value, FolderOf(setting.file));
    if (kind == GitValueKind::kPath) {
      AddPath(setting, value, tree.text());
      if (setting.variable.key == "hookspath") AddHooks(setting, value, tree);
      return;
    }
    std::vector<Path> folders = {tree};  // directories that the command can run in
    for (const CommandWord& word : CommandWords(value)) {
      if (!MayGoOn(Path::Clean(setting.file))) return;
      for (const Path& folder : folders) {
        if (Counts(kind, word, folder)) AddWord(setting, word, folder, tree);
      }
      if (word.before != "cd" || word.text.starts_with('~')) continue;
      folders.push_back(Path::Clean(Below(tree.text(), word.text)));
    }
  }

  // True if `word` can name a file in `folder`.
  bool Counts(GitValueKind kind, const CommandWord& word, const Path& folder) const {
    const bool has_slash = word.text.find('/') != std::string::npos;
    if (kind != GitValueKind::kCommand) return has_slash && IsFile(word.text, folder);
    // A first word without a slash is looked up in PATH.
    return has_slash || word.is_script() || (!word.is_first() && IsFile(word.text, folder));
  }

  void AddWord(const Setting& setting, const CommandWord& word, const Path& folder,
               const Path& tree) {
    std::string in_tree = InAnyTree(word.text, folder, tree);
    const bool is_run = word.is_first() || word.is_script();
    const bool is_alias = setting.variable.section == "alias";
    // Other words can be a branch (origin/main), and a name without a slash can match many files.
    const bool is_plain = in_tree.find('/') == std::string::npos;
    const bool is_meant = is_run || word.text.starts_with("./") || word.text.starts_with("../") ||
                          (!is_alias && IsFile(word.text, folder));
    if (is_plain ? !is_run || is_alias : !is_meant) in_tree.clear();
    AddPath(setting, word.text, folder.text(), in_tree);
  }

  bool IsFile(const std::string& word, const Path& tree) const {
    return std::ranges::any_of(Absolute(word, tree.text()), [&](const std::string& path) {
      return Walk(path, files_).EndsAt(FileKind::kFile);
    });
  }

  // Returns the path, from the top of the work tree, that a command running in `folder` finds; ""
  // for an absolute path or a `folder` outside `tree`.
  static std::string InAnyTree(const std::string& path, const Path& folder, const Path& tree) {
    const std::optional<std::string_view> below = folder.Below(tree);
    if (!below || path.starts_with('/') || path.starts_with('~')) return "";
    return Path::Clean("/" + std::string(*below) + "/" + path).text().substr(1);
  }

  // Guards the hooks, not the directory: other work trees can use its name for something else
  // (src/hooks).
  void AddHooks(const Setting& setting, const std::string& value, const Path& tree) {
    if (value.empty() || InAnyTree(value, tree, tree).empty()) return;
    for (const std::string& hook : SplitWords(kHooks)) {
      std::string path = value;
      path.append("/").append(hook);
      AddTarget("", FromOf(setting), InAnyTree(path, tree, tree));
    }
  }

  void AddPath(const Setting& setting, const std::string& value, const std::string& folder,
               const std::string& in_tree = {}) {
    for (const std::string& path : Absolute(value, folder)) {
      // These are routinely edited in every work tree, and git reads them anyway.
      if (path.ends_with("/.gitignore") || path.ends_with("/.gitattributes")) continue;
      AddTarget(path, FromOf(setting), in_tree);
    }
  }

  static std::string FromOf(const Setting& setting) {
    if (!setting.from.empty()) return setting.from;
    return Printable(setting.variable.name()) + " in " + Quote(setting.file);
  }

  void AddTarget(const std::string& path, const std::string& from,
                 const std::string& in_tree = {}) {
    if (!Insert(known_, path + "\n" + in_tree)) return;
    targets_.push_back({path, "git uses it (" + from + ")", in_tree});
  }

  const GitPlaces& places_;
  const FileView& files_;
  std::vector<Setting> shared_;
  std::vector<GitTarget> targets_;
  std::vector<std::string> known_;  // each path and in_tree, sorted
  size_t work_ = 0;                 // files, modules and words examined
  std::optional<Error> failure_;    // the first one
};

}  // namespace

Result<std::vector<GitTarget>> FindGitTargets(const GitPlaces& places, const FileView& files) {
  return TargetFinder(places, files).Find();
}

}  // namespace ringfence
