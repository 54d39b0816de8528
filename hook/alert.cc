#include "hook/alert.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "audit_log/append.h"
#include "base/folder_walk.h"
#include "base/state_file.h"
#include "base/syscall.h"
#include "base/text.h"
#include "hook/alert_rate.h"
#include "policy/load/trust.h"

namespace ringfence {
namespace {

constexpr size_t kLeastName = 60;    // room for what was refused, however long the reason is
constexpr mode_t kAlertMode = 0644;  // any program may read it
constexpr int kAlertLockTries = 50;  // a millisecond each; no hook holds the lock longer
constexpr int64_t kSecond = 1'000'000'000;

// Returns an unpredictable name, so that no other process can create the file first.
std::string FreshName(int64_t unix_nanoseconds) {
  std::array<unsigned char, 8> random{};
  if (::getentropy(random.data(), random.size()) != 0) random.fill(0);
  std::string name = "ringfence-" + std::to_string(unix_nanoseconds) + "-";
  for (const unsigned char byte : random) AppendHex(name, byte, 2);
  return name + ".json";
}

Status WriteNewFile(int folder, const std::string& name, const std::string& content) {
  const UniqueFd fd(::openat(folder, name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kAlertMode));
  if (!fd.valid()) return SystemError("open(" + name + ")");
  Status status = WriteAll(fd.get(), content);
  if (status && ::fchmod(fd.get(), kAlertMode) != 0) status = SystemError("fchmod(" + name + ")");
  if (!status) ::unlinkat(folder, name.c_str(), 0);
  return status;
}

Status PutInto(const Path& inbox, const std::string& content, int64_t unix_nanoseconds) {
  const Result<UniqueFd> folder = OpenPlainFolder(inbox);
  if (!folder) return folder.error();
  const std::string name = FreshName(unix_nanoseconds);
  const std::string temporary = "." + name + ".tmp";
  if (Status s = WriteNewFile(folder->get(), temporary, content); !s) return s;
  if (::renameat(folder->get(), temporary.c_str(), folder->get(), name.c_str()) == 0) return Unit{};
  const Error error = SystemError("rename(" + temporary + ")");
  ::unlinkat(folder->get(), temporary.c_str(), 0);
  return error;
}

// The record of recent alerts, locked against other hooks while this object lives.
class RateFile {
 public:
  static Result<RateFile> Open(const Places& places) {
    if (places.homes_real.empty()) {
      return Error{Error::Kind::kSystem, "alerts", "the home directory is unknown",
                   "register with --home"};
    }
    const Path file = Path::Clean(StateFolder(places.homes_real.front().text()) + "/alerts.rate");
    Result<UniqueFd> fd = OpenStateFile(file, StateWrites::kAnywhere);
    if (!fd) return fd.error();
    const Result<bool> is_locked = LockFile(fd->get(), kAlertLockTries);
    if (!is_locked) return is_locked.error();
    if (!*is_locked) return SystemError("flock(" + file.text() + ")", EWOULDBLOCK);
    struct stat facts {};
    if (::fstat(fd->get(), &facts) != 0) return SystemError("fstat(" + file.text() + ")");
    if (!S_ISREG(facts.st_mode)) return SystemError("open(" + file.text() + ")", EINVAL);
    Result<std::string> text = ReadAll(fd->get(), AlertRate::kMostText, file.text());
    // A text that is too long is not from ringfence: starts a new record.
    return RateFile(std::move(*fd), AlertRate::Read(text ? *text : ""));
  }

  AlertRate& rate() { return rate_; }

  Status Save() {
    const std::string text = rate_.text();
    if (::lseek(fd_.get(), 0, SEEK_SET) != 0) return SystemError("lseek(alerts.rate)");
    if (Status s = WriteAll(fd_.get(), text); !s) return s;
    return CallStatus(::ftruncate(fd_.get(), static_cast<off_t>(text.size())) == 0,
                      "ftruncate(alerts.rate)");
  }

 private:
  RateFile(UniqueFd fd, AlertRate rate) : fd_(std::move(fd)), rate_(std::move(rate)) {}
  UniqueFd fd_;
  AlertRate rate_;
};

std::string_view AlertKindName(Alert::Kind kind) {
  return kind == Alert::Kind::kDenial ? "ringfence-denial" : "ringfence-unwrapped";
}

void AppendMember(std::string& json, std::string_view name, std::string_view value) {
  json += (json.size() == 1 ? "" : ",") + JsonString(name) + ":" + JsonString(value);
}

}  // namespace

// The home directory may be behind a link: the registration says where it is, and no policy can.
std::optional<Path> InboxOf(std::string_view text, const Places& places) {
  if (!text.starts_with('~')) return Path::Parse(text);
  if (places.homes_real.empty()) return {};
  return Path::Parse(places.homes_real.front().text() + std::string(text.substr(1)));
}

std::string AlertText(const Cause& cause) {
  std::string why = " refused: " + cause.why;
  if (cause.place) why += " (" + PlaceLabel(*cause.place) + ")";
  // A long name must neither crowd out the reason nor leave its own quote open.
  const size_t room = kMaxAlertText - std::min(why.size(), kMaxAlertText - kLeastName);
  std::string what = cause.what;
  if (what.size() > room) what = CutText(std::move(what), room - 1) + "\"";
  return CutText(what + why, kMaxAlertText);
}

std::string AlertJson(const Alert& alert, const Policy& policy, uint64_t held,
                      int64_t unix_nanoseconds) {
  std::string json = "{";
  AppendMember(json, "type", AlertKindName(alert.kind));
  AppendMember(json, "text", alert.text);
  AppendMember(json, "tool", CutText(Printable(alert.tool), kMaxAlertText));
  AppendMember(json, "profile", policy.profile);
  AppendMember(json, "session", CutText(Printable(alert.session), kMaxAlertText));
  AppendMember(json, "timestamp", AuditTime(unix_nanoseconds));
  if (held != 0) json += ",\"held\":" + std::to_string(held);
  if (alert.is_from_inside) json += ",\"inside\":true";
  for (const auto& [name, value] : policy.alerts.fields) AppendMember(json, name, value);
  return json + "}\n";
}

Status WriteAlert(const Alert& alert, const Policy& policy, const Places& places,
                  int64_t unix_nanoseconds) {
  if (policy.alerts.inbox.empty()) return Unit{};
  const std::optional<Path> inbox = InboxOf(policy.alerts.inbox, places);
  if (!inbox) {
    return ConfigError("alerts.inbox", "the home directory is unknown", "register with --home");
  }
  Result<RateFile> file = RateFile::Open(places);
  if (!file) return file.error();
  const std::string_view session = alert.is_from_inside ? "" : std::string_view(alert.session);
  const std::string group = AlertDigest({inbox->text(), session});
  uint64_t held = 0;
  const bool may_write = file->rate().Take(
      {group, AlertDigest({AlertKindName(alert.kind), alert.text}), unix_nanoseconds / kSecond},
      &held);
  if (may_write) {
    const std::string json = AlertJson(alert, policy, held, unix_nanoseconds);
    if (Status s = PutInto(*inbox, json, unix_nanoseconds); !s) return s;
  }
  return file->Save();
}

}  // namespace ringfence
