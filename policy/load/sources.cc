#include "policy/load/sources.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/add_once.h"
#include "base/ascii.h"
#include "base/environment.h"
#include "base/regular_file.h"
#include "base/sha256.h"
#include "base/syscall.h"
#include "base/text.h"
#include "policy/evaluate/fix.h"
#include "policy/files/resolve.h"
#include "policy/load/load.h"
#include "policy/load/trust.h"

namespace ringfence {
namespace {

constexpr uint32_t kOverflowUser = 65534;  // user_namespaces(7): owner of unmapped files

// True if another program passed the policy as an open file, which may no longer have a name.
bool IsHandedOver(std::string_view path) { return path.starts_with("/proc/self/fd/"); }

// Returns the path for messages, with "~" for the home.
std::string Shown(const std::string& path, const Places& places) {
  if (IsHandedOver(path)) return "policy";
  for (const Path& home : places.homes) {
    if (path.starts_with(home.text() + "/")) return "~" + path.substr(home.text().size());
  }
  return path;
}

// In a user namespace, root's files may appear to belong to the overflow user. They are accepted if
// user 0 is not mapped, because then no process inside can be root.
bool RootIsMapped() {
  const Result<std::string> map = ReadSystemFile("/proc/self/uid_map");
  if (!map) return true;
  for (std::string_view rest = *map; !rest.empty();) {
    std::string_view line = TakeUntil(rest, '\n');
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with("0 ")) return true;
  }
  return false;
}

Status CheckOwner(const FileBytes& bytes, Layer layer, const Places& places,
                  const std::string& shown) {
  if (layer == Layer::kManaged) {
    const bool roots = bytes.owner == 0 || (bytes.owner == kOverflowUser && !RootIsMapped());
    if (!roots) return ConfigError(shown, "does not belong to root", "chown root " + shown);
    if ((bytes.mode & 022) != 0) {
      return ConfigError(shown, "can be written by others than root", "chmod go-w " + shown);
    }
    return Unit{};
  }
  if (layer == Layer::kProject) return Unit{};  // trust pins its bytes
  if ((bytes.mode & 002) != 0) return ConfigError(shown, "is world-writable", "chmod o-w " + shown);
  if (bytes.owner != places.user && bytes.owner != 0 && bytes.owner != kOverflowUser) {
    return ConfigError(shown, "belongs to another user",
                       "chown it to the user who runs the client");
  }
  return Unit{};
}

class SourceReader {
 public:
  SourceReader(Places& places, const FileView& files) : places_(places), files_(files) {}

  Result<PolicySources> Run(const std::string& policy_option) {
    std::vector<Error> mistakes;
    found_.built_in = LoadPolicy(BuiltInPolicy(*places_.agent), mistakes);
    if (found_.built_in == nullptr) return mistakes.front();
    if (Status s = Add(Layer::kManaged, kManagedPolicy); !s) return s.error();
    if (!policy_option.empty()) {
      if (Status s = AddNamed(policy_option); !s) return s.error();
      ApplyRootSetting();
      ProtectUsual();
      return std::move(found_);
    }
    if (!places_.homes.empty()) {
      if (Status s = Add(Layer::kUser, UserPolicyPath(places_.homes.front().text())); !s) {
        return s.error();
      }
    }
    ApplyRootSetting();
    if (Status s = Add(Layer::kProject, ProjectPolicyPath(places_.root_real.text())); !s) {
      return s.error();
    }
    ApplyRootSetting();  // again, because a trusted project may set it as well
    ProtectUsual();
    return std::move(found_);
  }

 private:
  void ProtectUsual() {
    for (const Path& path : UsualPolicyPlaces(places_)) AddOnce(places_.policies, path);
  }

  Status AddNamed(const std::string& path) {
    if (!Path::Parse(path)) {
      return UsageError("--policy", Quote(path) + " is not an absolute path",
                        "register the hook with the policy's whole path");
    }
    const size_t before = found_.sources.size();
    if (Status s = Add(Layer::kCommandLine, path); !s) return s.error();
    if (found_.sources.size() == before) {
      return ConfigError(path, "does not exist",
                         "write that policy, or register without it: ringfence init");
    }
    return Unit{};
  }

  Status Add(Layer layer, const std::string& path) {
    if (const std::optional<Path> parsed = Path::Parse(path)) AddOnce(places_.policies, *parsed);
    const std::string shown = Shown(path, places_);
    Result<FileBytes> bytes = ReadRegularFile(path);
    if (!bytes) return bytes.error();
    if (bytes->missing) return CheckAbsent(path, layer, shown);
    if (Status s = CheckOwner(*bytes, layer, places_, shown); !s) return s.error();
    bool trusted = true;
    if (layer == Layer::kProject) {
      if (Status s = IsPinned(bytes->text).MoveTo(trusted); !s) return s;
    }
    std::vector<Error> mistakes;
    PolicySource source{layer, trusted,
                        LoadPolicy({std::move(bytes->text), path, shown, trusted, places_.agent,
                                    layer == Layer::kProject},
                                   mistakes)};
    if (source.file == nullptr) return trusted ? mistakes.front() : Silent(mistakes.front(), shown);
    if (!trusted) {
      // The project chooses these names: a line break in one could start a line that looks like
      // ours.
      const std::string word = ShellWord(places_.root.text());
      found_.notes.push_back(
          Quote(shown) +
          " is not trusted: only its denials, questions and narrower lists count. To use all "
          "of it, look at it and run" +
          (word.empty() ? " there: ringfence trust" : ": ringfence trust " + word));
    }
    found_.sources.push_back(std::move(source));
    return Unit{};
  }

  // A policy that does not exist is absent even if links lead to it, because homes and /etc are
  // links on many systems. But a dangling link at the policy's own path, or at that of its
  // directory, was made to lead to a policy, and is an error.
  Status CheckAbsent(const std::string& path, Layer layer, const std::string& shown) {
    if (layer == Layer::kCommandLine) return CheckNoLink(path, shown);
    const std::string folder = path.substr(0, path.rfind('/'));
    const Result<FileFacts> facts = files_.Look(Path::Clean(folder));
    if (!facts) return facts.error();
    if (facts->kind == FileKind::kDirectory) return CheckNoLink(path, shown);
    if (facts->kind != FileKind::kLink) return Unit{};
    struct stat target {};
    if (::stat(folder.c_str(), &target) == 0) {
      return S_ISDIR(target.st_mode) ? CheckNoLink(path, shown) : Dangling(folder, shown);
    }
    if (errno == ENOENT || errno == ENOTDIR) return Dangling(folder, shown);
    return SystemError("stat(" + folder + ")");
  }

  Status CheckNoLink(const std::string& path, const std::string& shown) const {
    const Result<FileFacts> facts = files_.Look(Path::Clean(path));
    if (!facts) return facts.error();
    if (facts->kind != FileKind::kLink) return Unit{};
    return Dangling(path, shown);
  }

  static Error Dangling(const std::string& link, const std::string& shown) {
    return ConfigError(shown, "is reached through a dangling symbolic link",
                       "create the target of " + link + ", or remove the link");
  }

  // Text from an untrusted file must not reach the model, not even through an error message.
  static Error Silent(const Error& error, const std::string& shown) {
    return ConfigError(error.where.empty() ? shown : error.where,
                       "the project's policy is not trusted and cannot be read as a policy",
                       "fix it or remove it");
  }

  Result<bool> IsPinned(const std::string& text) {
    if (places_.homes.empty()) return false;
    const std::string path = TrustStorePath(places_.homes.front().text());
    Result<FileBytes> store = ReadRegularFile(path);
    if (!store) return store.error();
    if (store->missing) return false;
    if (Status s = CheckOwner(*store, Layer::kUser, places_, path); !s) return s.error();
    Result<std::vector<TrustedProject>> projects = ParseTrustStore(std::move(store->text), path);
    if (!projects) return projects.error();
    return IsTrusted(*projects, places_.root_real.text(), Sha256Hex(text));
  }

  void ApplyRootSetting() {
    for (const PolicySource& source : found_.sources) {
      if (source.trusted && source.file->root_is_git) {
        WidenToRepository(places_, files_);
        return;
      }
    }
  }

  Places& places_;
  const FileView& files_;
  PolicySources found_;
};

}  // namespace

bool IsAgentSession(std::string_view session_id) {
  return session_id.starts_with(kAgentName) &&
         IsLowerHex(session_id.substr(kAgentName.size()), kAgentDigits);
}

std::string AgentLockPath(const std::string& home, std::string_view session_id) {
  return StateFolder(home) + "/sessions/" + std::string(session_id) + ".lock";
}

std::string SessionGrantsPath(const std::string& home, std::string_view session_id) {
  const bool plain =
      !session_id.empty() && session_id.size() <= 128 &&
      std::ranges::all_of(session_id, [](char c) { return IsAlnum(c) || c == '-' || c == '_'; });
  return plain ? StateFolder(home) + "/sessions/" + std::string(session_id) + ".json" : "";
}

Result<bool> AddSessionGrants(std::string_view session_id, const Places& places,
                              PolicySources& sources) {
  if (places.homes.empty()) return false;
  const std::string path = SessionGrantsPath(places.homes.front().text(), session_id);
  if (path.empty()) return false;
  Result<FileBytes> bytes = ReadRegularFile(path);
  // A sandbox hides what sessions may do, and what this one is permitted ends at its walls anyway.
  if (!bytes && !Variable("RINGFENCE_SANDBOX").empty()) return false;
  if (!bytes) return bytes.error();
  if (bytes->missing) return false;
  const std::string shown = Shown(path, places);
  if (Status s = CheckOwner(*bytes, Layer::kSession, places, shown); !s) return s.error();
  std::vector<Error> mistakes;
  PolicySource source{
      Layer::kSession, true,
      LoadPolicy({std::move(bytes->text), path, shown, true, places.agent}, mistakes)};
  if (source.file == nullptr) return mistakes.front();
  sources.sources.push_back(std::move(source));
  return true;
}

std::string UserPolicyPath(const std::string& home) {
  return home + "/.config/ringfence/policy.json";
}
std::vector<Path> UsualPolicyPlaces(const Places& places) {
  std::vector<Path> all{Path::Clean(kManagedPolicy),
                        Path::Clean(ProjectPolicyPath(places.root_real.text()))};
  for (const Path& home : places.homes) all.push_back(Path::Clean(UserPolicyPath(home.text())));
  return all;
}

std::string ProjectPolicyPath(const std::string& root) { return root + "/.ringfence/policy.json"; }

Result<PolicySources> ReadPolicySources(const std::string& policy_option, Places& places,
                                        const FileView& files) {
  return SourceReader(places, files).Run(policy_option);
}

}  // namespace ringfence
