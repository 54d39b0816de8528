#include "cli/check/programs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include "base/syscall.h"
#include "base/text.h"
#include "policy/path.h"

namespace ringfence {
namespace {

class OwnerJudge {
 public:
  explicit OwnerJudge(Findings& findings) : findings_(findings) {}

  void JudgeFile(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) {
      const Error error = SystemError("stat(" + path + ")");
      return Wrong("no-program", path, error.text(), "install it again");
    }
    JudgeOwner(path, facts);
    if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      Wrong("writable-program", path, "can be written by others than its owner",
            "chmod go-w " + path);
    }
    if ((facts.st_mode & (S_ISUID | S_ISGID)) != 0) {
      Wrong("setuid-program", path, "is set-user-id or set-group-id, which it never needs",
            "chmod ug-s " + path);
    }
  }

  void JudgeFolder(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) return;
    JudgeOwner(path, facts);
    // In a sticky folder nobody renames what is another's.
    const bool is_sticky = (facts.st_mode & S_ISVTX) != 0;
    if ((facts.st_mode & S_IWOTH) != 0 && !is_sticky) {
      Wrong("writable-folder", path,
            "can be written by everybody, who could put another program there",
            "chmod o-w " + path);
    }
  }

 private:
  void JudgeOwner(const std::string& path, const struct stat& facts) {
    if (facts.st_uid == 0 || facts.st_uid == ::geteuid()) return;
    Wrong("foreign-owner", path,
          "belongs to user " + std::to_string(facts.st_uid) + ", who could change the program",
          "install ringfence for yourself, or as root");
  }

  void Wrong(const char* code, const std::string& path, std::string what, std::string hint) {
    Add(findings_, Severity::kError, code,
        {Error::Kind::kInvalidConfig, Quote(path), std::move(what), std::move(hint)});
  }

  Findings& findings_;
};

}  // namespace

Findings JudgeProgram(const ProgramQuestion& question) {
  Findings findings;
  OwnerJudge judge(findings);
  const std::unique_ptr<char, decltype(&std::free)> real(
      ::realpath(question.program.c_str(), nullptr), &std::free);
  const Path path = Path::Clean(real == nullptr ? question.program : real.get());
  judge.JudgeFile(path.text());
  for (Path folder = path; !folder.is_root();) {
    folder = folder.Parent();
    judge.JudgeFolder(folder.text());
  }
  const bool is_in_project =
      !question.project_real.empty() && path.IsInside(Path::Clean(question.project_real));
  if (is_in_project) {
    Add(findings, Severity::kWarning, "program-in-project",
        {Error::Kind::kInvalidConfig, Quote(path.text()),
         "lies in the project, where commands of an agent may be able to replace it",
         "install it elsewhere: install.sh --prefix DIR"});
  }
  return findings;
}

}  // namespace ringfence
