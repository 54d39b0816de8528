#include "cli/check/programs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/path.h"
#include "base/regular_file.h"
#include "base/same_file.h"
#include "base/syscall.h"
#include "base/text.h"
#include "policy/files/real_files.h"
#include "policy/files/resolve.h"

namespace ringfence {
namespace {

// Returns the lines of /etc/passwd (passwd(5)) or /etc/group (group(5)), split at colons. Accounts
// from a network directory are not in these files, and count as unknown.
std::vector<std::vector<std::string>> Accounts(const std::string& file) {
  std::vector<std::vector<std::string>> lines;
  const Result<std::optional<std::string>> text = ReadIfThere(file);
  if (!text || !*text) return lines;
  std::istringstream all(**text);
  for (std::string line; std::getline(all, line);) {
    constexpr size_t kLeast = 4;  // passwd: up to the GID; group: up to the members
    std::istringstream fields(line);
    std::vector<std::string> parts;
    for (std::string part; std::getline(fields, part, ':');) parts.push_back(part);
    if (parts.size() >= kLeast - 1) {
      parts.resize(std::max(parts.size(), kLeast));
      lines.push_back(std::move(parts));
    }
  }
  return lines;
}

// A group, to find members other than root, the user and the owner. Many systems give each user a
// private group with write access; "staff", the group of Debian's /usr/local, has no members.
class UserGroup {
 public:
  explicit UserGroup(gid_t id) : id_(std::to_string(id)) {
    for (const auto& line : Accounts("/etc/group")) {
      if (line[2] == id_) entry_ = line;
    }
  }

  std::string name() const { return entry_.empty() ? id_ : Quote(entry_.front()); }

  bool HasOthersThan(uid_t owner) const {
    if (id_ == "0") return false;
    if (entry_.empty()) return true;
    const std::vector<std::vector<std::string>> users = Accounts("/etc/passwd");
    const auto is_foreign = [&](const std::vector<std::string>& user) {
      return user[2] != "0" && user[2] != std::to_string(::geteuid()) &&
             user[2] != std::to_string(owner);
    };
    std::istringstream members(entry_[3]);
    for (std::string name; std::getline(members, name, ',');) {
      const auto user = std::ranges::find_if(users, [&](const auto& u) { return u[0] == name; });
      if (user == users.end() || is_foreign(*user)) return true;
    }
    return std::ranges::any_of(
        users, [&](const auto& user) { return user[3] == id_ && is_foreign(user); });
  }

 private:
  std::string id_;
  std::vector<std::string> entry_;
};

// True if this user namespace does not map `user`: all unmapped owners, root included, appear as
// the same ID there (user_namespaces(7)).
bool IsUnmapped(uid_t user) {
  std::ifstream map("/proc/self/uid_map");
  uint64_t first = 0;
  uint64_t outside = 0;
  uint64_t count = 0;
  bool is_read = false;
  while (map >> first >> outside >> count) {
    is_read = true;
    if (user >= first && user - first < count) return false;
  }
  return is_read;
}

class OwnerChecker {
 public:
  explicit OwnerChecker(Findings& findings) : findings_(findings) {}

  void CheckFile(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) {
      const Error error = SystemError("stat(" + path + ")");
      return Wrong("no-program", path, error.text(), "install it again");
    }
    CheckOwner(path, facts);
    if (!S_ISREG(facts.st_mode) || (facts.st_mode & S_IXUSR) == 0) {
      Wrong("no-program", path, "is not an executable file", "install it again");
    }
    if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      Wrong("writable-program", path, "can be written by others than its owner",
            "chmod go-w " + path);
    }
    if ((facts.st_mode & (S_ISUID | S_ISGID)) != 0) {
      Wrong("setuid-program", path, "is set-user-id or set-group-id, which it does not need",
            "chmod ug-s " + path);
    }
  }

  void CheckFolder(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) return;
    CheckOwner(path, facts);
    // In a sticky directory, users cannot rename files of other users.
    const bool is_sticky = (facts.st_mode & S_ISVTX) != 0;
    if (is_sticky) return;
    if ((facts.st_mode & S_IWOTH) != 0) {
      Wrong("writable-folder", path, "is world-writable: anyone could replace the program in it",
            "chmod o-w " + path);
    } else if (const UserGroup group(facts.st_gid);
               (facts.st_mode & S_IWGRP) != 0 && group.HasOthersThan(facts.st_uid)) {
      Wrong("writable-folder", path,
            "can be written by group " + group.name() +
                ", whose members could put another program there",
            "chmod g-w " + path);
    }
  }

  void CheckFoldersOf(const Path& path) {
    for (Path folder = path; !folder.is_root();) {
      folder = folder.Parent();
      CheckFolder(folder.text());
    }
  }

  // The owner of a link can redirect it, even in a sticky directory.
  void CheckLink(const std::string& path) {
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) == 0) CheckOwner(path, facts);
  }

 private:
  void CheckOwner(const std::string& path, const struct stat& facts) {
    if (facts.st_uid == 0 || facts.st_uid == ::geteuid() || IsUnmapped(facts.st_uid)) return;
    Wrong("foreign-owner", path,
          "belongs to user " + std::to_string(facts.st_uid) + ", who could change the program",
          "install ringfence for yourself, or as root");
  }

  void Wrong(const char* code, const std::string& path, std::string what, std::string hint) {
    Add(findings_, Severity::kError, code,
        ConfigError(Quote(path), std::move(what), std::move(hint)));
  }

  Findings& findings_;
};

// Reads at most 64 MiB of a program; "" if it cannot be read.
std::string BytesOf(const std::string& path) {
  constexpr size_t kMost = 64u << 20;
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  char block[65536];
  while (bytes.size() < kMost && (file.read(block, sizeof block), file.gcount() > 0)) {
    bytes.append(block, static_cast<size_t>(file.gcount()));
  }
  return bytes;
}

}  // namespace

bool IsSameProgram(const std::string& one, const std::string& other) {
  struct stat facts {};
  struct stat others {};
  if (::stat(one.c_str(), &facts) != 0 || ::stat(other.c_str(), &others) != 0) return true;
  if (IsSameFile(facts, others)) return true;
  return facts.st_size == others.st_size && BytesOf(one) == BytesOf(other);
}

Findings CheckProgram(const ProgramQuestion& question) {
  Findings findings;
  OwnerChecker evaluator(findings);
  const RealFiles disk;
  const Walked walked = Walk(question.program, disk);
  const Path& path = walked.end;
  evaluator.CheckFile(path.text());
  evaluator.CheckFoldersOf(path);
  for (const Path& link : walked.links) {
    evaluator.CheckLink(link.text());
    evaluator.CheckFoldersOf(link);
  }
  const bool is_in_project =
      !question.project_real.empty() && path.IsInside(Path::Clean(question.project_real));
  if (is_in_project) {
    Add(findings, Severity::kWarning, "program-in-project",
        ConfigError(Quote(path.text()),
                    "is in the project, where an agent's commands may be able to replace it",
                    "install it elsewhere: install.sh --prefix DIR"));
  }
  return findings;
}

}  // namespace ringfence
