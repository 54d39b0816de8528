#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "audit_log/system_log.h"
#include "base/folder_walk.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/doctor/rows.h"
#include "hook/alert.h"
#include "policy/places.h"
#include "sandbox/backend.h"

namespace ringfence {
namespace {

constexpr mode_t kLogMode = 0600;  // other users must not read what an agent did

// Succeeds if files can be created in the directory. Asks the system instead of trying, because
// doctor changes nothing. Root has write permission in procfs and sysfs, which accept no new files.
Status CanCreateIn(int folder, const std::string& name) {
  if (::faccessat(folder, ".", W_OK | X_OK, 0) != 0) return SystemError("access(" + name + ")");
#ifdef __linux__
  struct statfs facts {};
  if (::fstatfs(folder, &facts) != 0) return SystemError("fstatfs(" + name + ")");
  if (facts.f_type == PROC_SUPER_MAGIC || facts.f_type == SYSFS_MAGIC) {
    return SystemError("access(" + name + ")", EROFS);
  }
#endif
  return Unit{};
}

// Returns why nothing can be created in the nearest existing ancestor of `file`, or "".
std::string WhyNotMade(const Path& file) {
  Path folder = file.Parent();
  struct stat facts {};
  while (!folder.is_root() && ::lstat(folder.text().c_str(), &facts) != 0 && errno == ENOENT) {
    folder = folder.Parent();
  }
  const UniqueFd fd(::open(folder.text().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return SystemError("open(" + folder.text() + ")").text();
  const Status can = CanCreateIn(fd.get(), folder.text());
  return can ? "" : can.error().text();
}

class ReportsDoctor {
 public:
  ReportsDoctor(const Patient& patient, DoctorRows& rows)
      : audit_(patient.policy->audit),
        alerts_(patient.policy->alerts),
        sandbox_(patient.policy->sandbox),
        places_(patient.context->places),
        bad_(audit_.required ? Health::kMissing : Health::kWeak),
        rows_(rows) {}

  void Run() {
    LookAtLog();
    LookAtSystemLog();
    LookAtInbox();
  }

 private:
  void Log(Health health, std::string text, std::string fix = "") {
    rows_.push_back({health, "audit log", std::move(text), std::move(fix)});
  }

  // The hook appends to the log. If it cannot, lines are lost or, if the policy requires the log,
  // nothing is permitted.
  void LookAtLog() {
    const std::optional<Path> file = OwnPath(audit_.file, places_);
    if (!file)
      return Log(bad_, "the home directory is unknown", "register the hook with --home DIR");
    const std::string name = Quote(file->text());
    struct stat facts {};
    if (::lstat(file->text().c_str(), &facts) != 0) {
      if (errno != ENOENT) {
        return Log(bad_, SystemError("lstat(" + file->text() + ")").text(), "name another file");
      }
      const std::string why = WhyNotMade(*file);
      if (!why.empty()) return Log(bad_, name + " cannot be created: " + why, "name another file");
      return Log(Health::kGood, name + " does not exist yet, and can be created");
    }
    const bool is_file = S_ISREG(facts.st_mode);
    if (!is_file || ::access(file->text().c_str(), W_OK) != 0) {
      if (ProbeHost(sandbox_).is_inside) {
        return Log(Health::kGood, name + " is written by the sandbox around this, from outside");
      }
      if (is_file) return Log(bad_, name + " cannot be written", "fix its owner and mode");
      return Log(bad_, name + " is not a regular file", "move it away; the hook makes a new log");
    }
    if ((facts.st_mode & 0777 & ~kLogMode) != 0) {
      Log(Health::kMissing, name + " can be read or written by others",
          "chmod 0600 " + file->text());
    }
    Log(Health::kGood, name + ", " + std::to_string(facts.st_size) + " bytes" +
                           (audit_.required ? ", demanded by the policy" : ""));
    constexpr time_t kAhead = 60;
    if (facts.st_mtime <= ::time(nullptr) + kAhead) return;
    rows_.push_back({Health::kWeak, "clock", name + " was written in the future",
                     "set the clock; the log's lines are not in the order of their times"});
  }

  static bool IsSocket(const char* path) {
    struct stat facts {};
    return ::stat(path, &facts) == 0 && S_ISSOCK(facts.st_mode);
  }

  void LookAtSystemLog() {
    if (audit_.system_log == SystemLog::kOff) return;
    const bool is_there = IsSocket(kJournalSocket) || IsSocket(kSyslogSocket);
    const std::string what =
        audit_.system_log == SystemLog::kLines ? "lines of the log" : "anchors of the log";
    if (is_there) return Log(Health::kGood, what + " also go to the system log");
    Log(Health::kWeak, what + " are lost: this host has neither journald nor /dev/log",
        R"(run one of them, or set "audit": {"system_log": "off"})");
  }

  // Opens the inbox as the hook does, but creates nothing.
  void LookAtInbox() {
    if (alerts_.inbox.empty()) return;
    const auto say = [&](Health health, std::string text, std::string fix = "") {
      rows_.push_back({health, "alerts", std::move(text), std::move(fix)});
    };
    const std::optional<Path> inbox = InboxOf(alerts_.inbox, places_);
    if (!inbox)
      return say(Health::kMissing, "the inbox is below ~, and the home directory is unknown",
                 "name it: --home DIR");
    const std::string name = Quote(inbox->text());
    const Result<NearestFolder> folder = OpenNearestPlainFolder(*inbox);
    if (!folder) {
      return say(Health::kMissing, "the inbox " + name + ": " + folder.error().text(),
                 folder.error().hint.empty()
                     ? "name a directory that can be created, not reached through a symbolic link"
                     : folder.error().hint);
    }
    if (const Status can = CanCreateIn(folder->fd.get(), inbox->text()); !can) {
      return say(Health::kMissing,
                 "the inbox " + name + " cannot be written: " + can.error().text(),
                 "fix its owner and mode");
    }
    say(Health::kGood, "alerts go to " + name);
  }

  const AuditRules& audit_;
  const AlertRules& alerts_;
  const SandboxRules& sandbox_;
  const Places& places_;
  Health bad_;
  DoctorRows& rows_;
};

}  // namespace

void LookAtReports(const Patient& patient, DoctorRows& rows) { ReportsDoctor(patient, rows).Run(); }

}  // namespace ringfence
