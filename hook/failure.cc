#include "hook/failure.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/add_once.h"
#include "base/json_tree.h"
#include "base/text.h"
#include "hook/failure_line.h"

namespace ringfence {
namespace {

enum class WordingForm : uint8_t {
  kOurs,           // ringfence: write to "/x" refused: ...
  kSeatbelt,       // cat(123) deny(1) file-read-data /x
  kPath,           // next to a path: cat: /x: Permission denied
  kWrittenPath,    // same, but only for writes
  kPathAbove,      // the path may be some lines above: cargo, Go's wrapped errors
  kHiddenPath,     // a path that a sandbox hides does not exist for the program
  kHostBehind,     // curl: (6) Could not resolve host: x
  kHostSomewhere,  // in a URL on this line or a few lines above
};

struct Wording {
  std::string_view words;  // in lower case
  WordingForm form;
};

// Returns the row whose words are in this line, or nullptr. `at` is the offset after the words.
const Wording* FindWording(std::string_view lower_line, size_t* at) {
  using enum WordingForm;
  // From the most specific to the least: the first one found in a line counts. Each row has a
  // fixture in fixtures/failures.
  static constexpr Wording kWordings[] = {
      // ringfence's sandbox and hook
      {"ringfence: ", kOurs},
      // macOS: the client's <sandbox_violations>, and sandboxd's log lines
      {" deny(", kSeatbelt},
      {"sandbox: deny(", kSeatbelt},
      // hosts: curl, git, cargo; ssh; wget; apt; node; Go; Python
      {"could not resolve host: ", kHostBehind},
      {"could not resolve hostname ", kHostBehind},
      {"unable to resolve host address ", kHostBehind},
      {"temporary failure resolving ", kHostBehind},
      {"getaddrinfo enotfound ", kHostBehind},
      {"getaddrinfo eai_again ", kHostBehind},
      {"connect enetunreach ", kHostBehind},
      {"dial tcp: lookup ", kHostBehind},
      {"connect to host ", kHostBehind},
      {"failed to connect to ", kHostBehind},
      {"connectionpool(host=", kHostBehind},
      // the client's proxy, and programs that report its answer
      {"blocked by network allowlist", kHostSomewhere},
      {"blocked-by-allowlist", kHostSomewhere},
      {"connect tunnel failed", kHostSomewhere},
      {"tunnel connection failed", kHostSomewhere},
      {"network is unreachable", kHostSomewhere},
      {"temporary failure in name resolution", kHostSomewhere},
      // the kernel, as Rust's std::io::Error prints it
      {"(os error 30)", kPathAbove},
      {"(os error 13)", kPathAbove},
      {"(os error 1)", kPathAbove},
      // the kernel: strerror(3), and the names that Node prints
      {"read-only file system", kWrittenPath},
      {"erofs", kWrittenPath},
      {"permission denied", kPath},
      {"eacces", kPath},
      {"operation not permitted", kPath},
      {"eperm", kPath},
      {"no such file or directory", kHiddenPath},
      {"enoent", kHiddenPath},
  };
  for (const Wording& wording : kWordings) {
    const size_t found = lower_line.find(wording.words);
    if (found == std::string_view::npos) continue;
    *at = found + wording.words.size();
    return &wording;
  }
  return nullptr;
}

using NamedKind = Named::Kind;

constexpr size_t kLinesAbove = 3;

// Words that programs use when a write failed.
constexpr std::string_view kWriteWords[] = {
    "creat", "write", "writing", "remov",   "unlink", "delet", "touch",
    "mkdir", "mov",   "renam",   "truncat", "chmod",  "chown", "lock",
};

// True if the line mentions a write outside its paths, which can have any name.
bool SpeaksOfWrite(std::string_view line) {
  std::string lower = LowerAscii(line);
  for (const std::string& path : AbsolutePathsIn(lower)) lower.erase(lower.find(path), path.size());
  return std::ranges::any_of(kWriteWords, [&lower](std::string_view word) {
    return lower.find(word) != std::string_view::npos;
  });
}

// Returns the length of the program name and ": " that begin a line such as "/bin/sh: 1: cannot
// create /x: ..."; 0 if the words of the refusal follow at once.
size_t SpeakerIn(std::string_view line, size_t words) {
  constexpr std::string_view kEnd = ": ";
  const size_t end = line.find(kEnd);
  if (!line.starts_with('/') || end == std::string_view::npos) return 0;
  return end + kEnd.size() < words ? end + kEnd.size() : 0;
}

// Returns the offset of the quote that ends the JSON string at the beginning of `text`, or npos.
size_t EndOfQuoted(std::string_view text) {
  if (!text.starts_with('"')) return std::string_view::npos;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i;
    if (text[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

class FailureReader {
 public:
  std::vector<Named> Run(std::string_view failure) {
    while (!failure.empty() && names_.size() < kMaxNamed) {
      const std::string_view line = TakeUntil(failure, '\n');
      lines_.push_front(line);
      if (lines_.size() > kLinesAbove + 1) lines_.pop_back();
      Read(line);
    }
    return std::move(names_);
  }

 private:
  void Read(std::string_view line) {
    const std::string lower = LowerAscii(line);
    size_t at = 0;
    const Wording* wording = FindWording(lower, &at);
    if (wording == nullptr) return;
    switch (wording->form) {
      case WordingForm::kOurs:
        return ReadOurs(line.substr(at));
      case WordingForm::kSeatbelt:
        return ReadSeatbelt(line.substr(at));
      case WordingForm::kPath:
        return AddPaths(line, at - wording->words.size(),
                        SpeaksOfWrite(line) ? NamedKind::kWritten : NamedKind::kPath);
      case WordingForm::kWrittenPath:
        return AddPaths(line, at - wording->words.size(), NamedKind::kWritten);
      case WordingForm::kPathAbove:
        return AddPathsAbove(lower);
      case WordingForm::kHiddenPath:
        return AddAll(NamedKind::kHidden,
                      AbsolutePathsIn(line.substr(SpeakerIn(line, at - wording->words.size()))));
      case WordingForm::kHostBehind:
        return Add(NamedKind::kHost, HostAtFront(line.substr(at)));
      case WordingForm::kHostSomewhere:
        return AddHost();
    }
  }

  void Add(NamedKind kind, const std::string& text, bool is_ours = false) {
    const Named named{kind, text, is_ours};
    if (text.empty() || names_.size() == kMaxNamed) return;
    AddOnce(names_, named);
  }
  void AddAll(NamedKind kind, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) Add(kind, text);
  }

  // `words` is the offset of the refusal's words.
  void AddPaths(std::string_view line, size_t words, NamedKind kind) {
    const size_t speaker = SpeakerIn(line, words);
    line.remove_prefix(speaker);
    const std::vector<std::string> paths = AbsolutePathsIn(line);
    AddAll(kind, paths.empty() ? RelativePathsIn(line, words - speaker) : paths);
  }

  // Adds the paths of this line, or of the nearest line above that contains one.
  void AddPathsAbove(const std::string& lower) {
    const bool is_write = lower.find("(os error 30)") != std::string::npos;
    for (const std::string_view named : lines_) {
      const std::vector<std::string> paths = AbsolutePathsIn(named);
      if (paths.empty()) continue;
      const bool writes = is_write || SpeaksOfWrite(named);
      return AddAll(writes ? NamedKind::kWritten : NamedKind::kPath, paths);
    }
  }

  void AddHost() {
    for (const std::string_view named : lines_) {
      const std::string host = HostOfUrlIn(named);
      if (!host.empty()) return Add(NamedKind::kHost, host);
    }
  }

  // Reads a line such as: write to "/x" refused: ... A name that was cut is ignored.
  void ReadOurs(std::string_view text) {
    struct Verb {
      std::string_view words;
      NamedKind kind;
    };
    static constexpr Verb kVerbs[] = {{"write to ", NamedKind::kWritten},
                                      {"read of ", NamedKind::kPath},
                                      {"connection to ", NamedKind::kHost}};
    for (const Verb& verb : kVerbs) {
      if (!text.starts_with(verb.words)) continue;
      text.remove_prefix(verb.words.size());
      const size_t end = EndOfQuoted(text);
      if (end == std::string_view::npos || !text.substr(end + 1).starts_with(' ')) return;
      const Result<JsonTree> quoted =
          JsonTree::Parse(std::string(text.substr(0, end + 1)), "quoted", false);
      if (!quoted || quoted->root().kind != JsonTree::Kind::kString) return;
      const std::string name(quoted->root().content());
      if (verb.kind == NamedKind::kHost && HostAtFront(name) != name) return;
      return Add(verb.kind, name, true);
    }
  }

  // Reads to the end of a line such as: 1) file-write-create /private/etc/x
  void ReadSeatbelt(std::string_view text) {
    const size_t close = text.find(") ");
    if (close == std::string_view::npos) return;
    text.remove_prefix(close + 2);
    const std::string_view operation = TakeUntil(text, ' ');
    if (operation.starts_with("network-outbound") && !text.starts_with('/')) {
      return Add(NamedKind::kHost, HostAtFront(text));
    }
    if (!text.starts_with('/')) return;
    if (operation.starts_with("file-write")) return Add(NamedKind::kWritten, std::string(text));
    if (operation.starts_with("file-read")) return Add(NamedKind::kPath, std::string(text));
  }

  std::deque<std::string_view> lines_;  // this line, then those above it
  std::vector<Named> names_;
};

}  // namespace

std::vector<Named> NamesInFailure(std::string_view failure) { return FailureReader().Run(failure); }

}  // namespace ringfence
