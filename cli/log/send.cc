#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/environment.h"
#include "base/json_edit.h"
#include "base/regular_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/common/file_transaction.h"
#include "cli/log/log_files.h"
#include "cli/log/sink.h"
#include "run/messages.h"

namespace ringfence {
namespace {

constexpr int kLongestPause = 30'000;  // milliseconds
constexpr int kTries = 4;              // attempts without --follow
constexpr uint64_t kSave = 256;        // number of lines after which to save the position

// The position in the log: the digest of the last line sent, which a rotation does not change.
class Place {
 public:
  explicit Place(const std::string& file) : file_(file.empty() ? "" : Absolute(file)) {}

  Result<std::string> Read() {
    if (file_.empty()) return std::string();
    if (Status s = ReadIfThere(file_).MoveTo(before_); !s) return s.error();
    if (!before_) return std::string();
    const OrderedJson json = OrderedJson::parse(*before_, nullptr, false);
    const auto digest = json.is_object() ? json.find("sent") : json.end();
    if (!json.is_object() || digest == json.end() || !digest->is_string()) {
      return UsageError(file_, "was not written by \"ringfence log send\"",
                        "name another file, or remove this one to send everything");
    }
    return digest->get<std::string>();
  }

  Status Write(const std::string& digest) {
    if (file_.empty() || digest.empty()) return Unit{};
    const std::string text = OrderedJson{{"sent", digest}}.dump() + "\n";
    if (text == before_) return Unit{};
    FileTransaction transaction;
    if (Status s = transaction.Write(file_, before_, text, {0600, 0700}); !s) return s;
    if (Status s = transaction.Commit(); !s) return s;
    before_ = text;
    return Unit{};
  }

 private:
  std::string file_;
  std::optional<std::string> before_;
};

// True if a line of the log has this digest.
Result<bool> LogHolds(const Path& file, const std::string& digest) {
  LogReader reader(file);
  for (;;) {
    const Result<std::optional<LogLine>> line = reader.Next();
    if (!line) return line.error();
    if (!*line) return false;
    if (Sha256Hex((*line)->text) == digest) return true;
  }
}

class Sender {
 public:
  Sender(const Path& file, LogSink& sink, const SendOptions& options)
      : reader_(file), sink_(sink), options_(options), place_(options.state) {}

  Outcome Run() {
    if (Status s = reader_.Open(options_.follow); !s) return s.error();
    if (Status s = FindPlace(); !s) return s.error();
    Status status = SendAll();
    // Saves the position even after a failure.
    if (Status s = place_.Write(settled_); !s && status) status = s;
    if (skipped_ > 0) Say(std::to_string(skipped_) + " torn or foreign lines were not sent");
    if (!status) return status.error();
    if (sink_.too_long() == 0) return 0;
    return Outcome::No({Error::Kind::kSystem, "",
                        std::to_string(sink_.too_long()) + " lines are too long for one datagram",
                        "send them by TCP: syslog://"});
  }

 private:
  Status FindPlace() {
    const Result<std::string> sent = place_.Read();
    if (!sent) return sent.error();
    if (sent->empty()) return Unit{};
    const Result<bool> is_there = LogHolds(reader_.file(), *sent);
    if (!is_there) return is_there.error();
    if (*is_there) {
      skip_until_ = *sent;
    } else {
      Say("the line that was sent last is not in the log any more: all of it is sent");
    }
    return Unit{};
  }

  Status SendAll() {
    for (;;) {
      const Result<bool> more = SendNext();
      if (!more) return more.error();
      if (*more && waiting_.is_over()) return Interrupted();
      if (*more) continue;
      if (Status s = Keep(); !s) return s;
      if (!options_.follow || !waiting_.For(kPoll, false)) return Unit{};
    }
  }

  Status Interrupted() {
    if (Status s = Keep(); !s || options_.follow) return s;
    return Error{Error::Kind::kSystem, "", "a signal came before all lines were sent", ""};
  }

  // Returns false if there is no line for now.
  Result<bool> SendNext() {
    const Result<std::optional<LogLine>> line = reader_.Next();
    if (!line) return line.error();
    if (!*line) return false;
    Take(**line);
    const Status sent = taken_ % kSave == 0 ? Keep() : Try(false);
    if (!sent) return sent.error();
    return true;
  }

  void Take(const LogLine& line) {
    ++taken_;
    SayWhereApart(line);
    const std::string digest = Sha256Hex(line.text);
    if (!skip_until_.empty()) {
      if (digest == skip_until_) skip_until_.clear();
      return;
    }
    const std::optional<AuditEntry> entry = line.is_cut ? std::nullopt : ReadLogLine(line.text);
    if (!entry) {
      ++skipped_;
      return;
    }
    if (options_.filter.Wants(*entry)) sink_.Add(line.text, *entry);
    last_ = digest;
  }

  Status Keep() {
    if (Status s = Try(true); !s) return s;
    said_.clear();
    settled_ = last_;
    return place_.Write(settled_);
  }

  // Retries with increasing pauses.
  Status Try(bool settle) {
    int pause = kPoll;
    for (int i = 1;; ++i) {
      Status status = settle ? sink_.Settle() : sink_.Send();
      if (status || (!options_.follow && i == kTries)) return status;
      // Reports a repeated failure only once, until all lines have arrived.
      const std::string said = status.error().text() + "; retrying";
      if (said != std::exchange(said_, said)) Say(said);
      if (!waiting_.For(pause, false)) return status;
      pause = std::min(2 * pause, kLongestPause);
    }
  }

  LogReader reader_;
  LogSink& sink_;
  const SendOptions& options_;
  Place place_;
  Waiting waiting_;
  std::string skip_until_;  // digest of the last line that an earlier run sent
  std::string last_;        // digest of the last line taken
  std::string settled_;     // digest of the last line that arrived
  std::string said_;        // the last failure reported
  uint64_t taken_ = 0;
  uint64_t skipped_ = 0;
};

}  // namespace

Outcome SendLog(const Path& file, LogSink& sink, const SendOptions& options) {
  return Sender(file, sink, options).Run();
}

}  // namespace ringfence
