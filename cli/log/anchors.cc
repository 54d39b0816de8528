#include "cli/log/anchors.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>

#include "audit_log/line.h"
#include "audit_log/system_log.h"
#include "base/environment.h"
#include "base/json_edit.h"
#include "base/process.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/common/since.h"

namespace ringfence {
namespace {

constexpr size_t kLongestSystemLine = 1 << 20;  // of a system log; longer lines are cut

constexpr size_t kOtherLogs = 3;  // number of names to keep
constexpr int64_t kSlack = 10;    // seconds by which concurrent hooks can overtake each other

// True if the anchor's line is earlier, although the system log received the anchor later. A larger
// difference means that the clock was set back.
bool IsJustBefore(const Anchor& anchor, const Anchor& first) {
  // Take() has checked both times.
  return anchor.time < first.time && *UnixTime(first.time) - *UnixTime(anchor.time) <= kSlack;
}

// Assembles lines from a text that arrives in pieces.
class Lines {
 public:
  template <typename F>
  void Add(std::string_view piece, const F& take) {
    while (!piece.empty()) {
      const size_t newline = piece.find('\n');
      const std::string_view part = piece.substr(0, newline);
      if (rest_.size() < kLongestSystemLine)
        rest_ += part.substr(0, kLongestSystemLine - rest_.size());
      if (newline == std::string_view::npos) return;
      take(std::string_view(rest_));
      rest_.clear();
      piece.remove_prefix(newline + 1);
    }
  }
  template <typename F>
  void End(const F& take) {
    if (!rest_.empty()) take(std::string_view(rest_));
  }

 private:
  std::string rest_;
};

// Moves the text before `mark` to `before`, and removes both from `text`.
bool TakeBefore(std::string_view& text, std::string_view mark, std::string_view* before) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return false;
  *before = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return true;
}

Status ReadFile(const std::string& name, Anchors& anchors) {
  const UniqueFd fd(::open(Absolute(name).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd.valid()) return SystemError("open(" + name + ")");
  Lines lines;
  const auto take = [&anchors](std::string_view line) { anchors.Take(line); };
  std::array<char, 65536> bytes{};
  for (;;) {
    const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read(" + name + ")");
    if (got == 0) break;
    lines.Add({bytes.data(), static_cast<size_t>(got)}, take);
  }
  lines.End(take);
  return Unit{};
}

void TakeJournal(std::string_view line, Anchors& anchors) {
  const OrderedJson json = OrderedJson::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("MESSAGE") || !json["MESSAGE"].is_string()) return;
  const auto message = json["MESSAGE"].get<std::string>();
  if (message.starts_with(kAnchorWord) || message.starts_with(kLineWord)) anchors.Take(message);
}

// Reads only the owner's entries. journald gets the user ID of the writer from the kernel.
Status ReadJournal(const std::string& folder, uint32_t owner, Anchors& anchors) {
  constexpr const char* kProgram = "/usr/bin/journalctl";
  ProgramCall call{
      .program = kProgram,
      .arguments = {"--quiet", "--no-pager", "--output=json", "--output-fields=MESSAGE",
                    "--identifier=" + std::string(kSystemLogName), "_UID=" + std::to_string(owner)},
      .environment = {},
      .input = "",
      .limit = std::chrono::minutes(10)};
  if (!folder.empty()) call.arguments.insert(call.arguments.begin(), "--directory=" + folder);
  Lines lines;
  const auto take = [&anchors](std::string_view line) { TakeJournal(line, anchors); };
  call.hear = [&lines, &take](std::string_view piece) { lines.Add(piece, take); };
  const Result<Finished> done = Run(call);
  if (!done) return done.error();
  lines.End(take);
  // Some versions end with status 1, without a message, if there are no entries.
  if (done->exit_status == 0 || (done->exit_status == 1 && done->err.empty())) return Unit{};
  return Error{Error::Kind::kSystem, kProgram,
               "ended with status " + std::to_string(done->exit_status) + ": " +
                   Printable(done->err.substr(0, done->err.find('\n'))),
               "name a file instead: --anchors FILE"};
}

}  // namespace

bool Anchors::Take(std::string_view text) {
  for (const std::string_view word : {kAnchorWord, kLineWord}) {
    const size_t at = text.find(std::string(word) + "{\"file\":\"");
    if (at == std::string_view::npos) continue;
    std::string_view rest = text.substr(at + word.size() + std::string_view("{\"file\":").size());
    std::string_view file, time, end;
    // The search is safe, because a quote in a file name is escaped.
    if (!TakeBefore(rest, ",\"time\":\"", &file) || !TakeBefore(rest, "\",\"end\":", &time) ||
        !TakeBefore(rest, ",\"digest\":\"", &end)) {
      return false;
    }
    const OrderedJson name = OrderedJson::parse(file, nullptr, false);
    const std::string digest(rest.substr(0, kChainDigits));
    const bool is_digest =
        IsLowerHex(digest, kChainDigits) && rest.substr(kChainDigits).starts_with('"');
    if (!name.is_string() || !is_digest || !IsLogTime(time)) return false;
    if (const auto log = name.get<std::string>(); log != named_) {
      if (other_logs_.size() < kOtherLogs) other_logs_.insert(log);
      return false;
    }
    Anchor anchor{.time = std::string(time)};
    std::from_chars(end.data(), end.data() + end.size(), anchor.end);
    Keep(digest, anchor);
    return true;
  }
  return false;
}

void Anchors::Keep(const std::string& digest, const Anchor& anchor) {
  const auto [place, is_new] = anchors_.emplace(digest, anchor);
  Anchor& kept = place->second;
  // A repeated anchor with a smaller end must not make its file look shorter.
  kept.end = std::max(kept.end, anchor.end);
  if (is_new || kept.source != sources_.size()) sources_.back().push_back(&kept);
  kept.source = sources_.size();
}

const Anchor* Anchors::Meet(const std::string& digest) {
  const auto anchor = anchors_.find(digest);
  if (anchor == anchors_.end()) return nullptr;
  met_ += anchor->second.is_met ? 0 : 1;
  anchor->second.is_met = true;
  return &anchor->second;
}

size_t Anchors::FirstMet(const Source& source) {
  return static_cast<size_t>(
      std::ranges::find_if(source, [](const Anchor* anchor) { return anchor->is_met; }) -
      source.begin());
}

// Returns the earliest of the first met anchors of all sources; nullptr if none is met.
const Anchor* Anchors::Earliest() const {
  const Anchor* earliest = nullptr;
  for (const Source& source : sources_) {
    const size_t at = FirstMet(source);
    if (at == source.size()) continue;
    if (earliest == nullptr || source[at]->time < earliest->time) earliest = source[at];
  }
  return earliest;
}

void Anchors::AddMissing(const Source& source, std::set<const Anchor*>& missing) const {
  const size_t first = FirstMet(source);
  const Anchor* const earliest = Earliest();
  for (size_t i = 0; i < source.size(); ++i) {
    const Anchor& anchor = *source[i];
    // A source without any met anchor may be older than the rest of the log.
    const bool is_before = first < source.size()
                               ? i < first || IsJustBefore(anchor, *source[first])
                               : earliest != nullptr && anchor.time < earliest->time;
    if (!anchor.is_met && !is_before) missing.insert(&anchor);
  }
}

Anchors::Unmet Anchors::SortUnmet() const {
  std::set<const Anchor*> missing;
  for (const Source& source : sources_) AddMissing(source, missing);
  Unmet unmet;
  for (const auto& [digest, anchor] : anchors_) {
    if (anchor.is_met) continue;
    (missing.contains(&anchor) ? unmet.missing : unmet.before).push_back(anchor);
  }
  std::ranges::sort(unmet.before, {}, &Anchor::time);
  std::ranges::sort(unmet.missing, {}, &Anchor::time);
  return unmet;
}

Status ReadAnchors(const std::string& source, uint32_t owner, Anchors& anchors) {
  constexpr std::string_view kJournal = "journal";
  anchors.BeginSource();
  if (source == kJournal) return ReadJournal("", owner, anchors);
  if (source.starts_with("journal:")) {
    return ReadJournal(Absolute(source.substr(kJournal.size() + 1)), owner, anchors);
  }
  return ReadFile(source, anchors);
}

}  // namespace ringfence
