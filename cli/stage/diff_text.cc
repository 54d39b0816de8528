#include "cli/stage/diff_text.h"

#include <array>
#include <cstdio>
#include <string_view>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/stage/describe_change.h"
#include "staging/text_diff.h"

namespace ringfence {
namespace {

// The mode as git writes it, but with all permissions: git reads them, and takes only whether the
// owner may run the file.
std::string GitMode(const Entry& entry) {
  if (entry.is_link()) return "120000";
  const std::string mode = ModeText(entry.mode);
  constexpr size_t kDigits = 4;
  return "10" + std::string(mode.size() < kDigits ? kDigits - mode.size() : 0, '0') + mode;
}

// As git quotes names that have unusual bytes: in double quotes, with octal escapes.
std::string GitName(std::string_view side, const std::string& path) {
  std::string quoted;
  bool is_plain = true;
  for (const char byte : std::string(side) + path) {
    const auto code = static_cast<unsigned char>(byte);
    if (byte == '"' || byte == '\\') {
      quoted += '\\';
      quoted += byte;
    } else if (code < 0x20 || code >= 0x7f) {
      std::array<char, 8> text{};
      std::snprintf(text.data(), text.size(), "\\%03o", code);
      quoted += text.data();
    } else {
      quoted += byte;
      continue;
    }
    is_plain = false;
  }
  return is_plain ? quoted : "\"" + quoted + "\"";
}

// A side of the diff: the content of a file or the target of a link; nothing for other entries.
Result<std::string> ContentOf(const Entry& entry, Result<std::string> bytes) {
  if (entry.is_link()) return entry.target;
  if (!entry.is_file()) return std::string();
  return bytes;
}

Result<std::string> BytesBefore(const Stage& stage, const Change& change) {
  const bool reads = change.before.is_file() && change.before.size <= kMaxDiffed;
  return ContentOf(change.before,
                   reads ? stage.ProjectBytes(change.path, kMaxDiffed) : std::string());
}

Result<std::string> BytesAfter(const Stage& stage, const Change& change) {
  const bool reads = change.after.is_file() && change.after.size <= kMaxDiffed;
  return ContentOf(change.after,
                   reads ? stage.StagedBytes(change.path, kMaxDiffed) : std::string());
}

bool IsLarge(const Entry& entry) { return entry.is_file() && entry.size > kMaxDiffed; }

bool IsDiffable(const Entry& entry) { return entry.is_file() || entry.is_link(); }

std::string ModeLines(const Entry& before, const Entry& after) {
  if (!IsDiffable(before)) return "new file mode " + GitMode(after) + "\n";
  if (!IsDiffable(after)) return "deleted file mode " + GitMode(before) + "\n";
  if (GitMode(before) == GitMode(after)) return "";
  return "old mode " + GitMode(before) + "\nnew mode " + GitMode(after) + "\n";
}

// The two sides as they are compared.
struct Sides {
  Entry before, after;
  std::string before_bytes, after_bytes;
};

std::string PrintableWithTabs(std::string_view line) {
  std::string text;
  for (;;) {
    const size_t tab = line.find('\t');
    text += Printable(line.substr(0, tab));
    if (tab == line.npos) return text;
    text += '\t';
    line.remove_prefix(tab + 1);
  }
}

Result<std::string> DiffOf(const std::string& path, const Sides& sides) {
  const std::string a = GitName("a/", path);
  const std::string b = GitName("b/", path);
  std::string text = "diff --git " + a + " " + b + "\n" + ModeLines(sides.before, sides.after);
  const std::string old_name = IsDiffable(sides.before) ? a : "/dev/null";
  const std::string new_name = IsDiffable(sides.after) ? b : "/dev/null";
  const bool is_large = IsLarge(sides.before) || IsLarge(sides.after);
  const bool is_binary = IsBinary(sides.before_bytes) || IsBinary(sides.after_bytes);
  const std::string differ = "Binary files " + old_name + " and " + new_name + " differ\n";
  if (is_large || is_binary) return text + differ;
  if (HasTooManyLines(sides.before_bytes) || HasTooManyLines(sides.after_bytes)) {
    return "# " + GitName("", path) + ": more than " + Grouped(kMaxDiffedLines) +
           " lines, so the text is not compared\n" + text + differ;
  }
  const Result<std::string> hunks = UnifiedHunks(sides.before_bytes, sides.after_bytes);
  if (!hunks) return hunks.error();
  if (hunks->empty()) return text;
  return text + "--- " + old_name + "\n+++ " + new_name + "\n" + *hunks;
}

}  // namespace

namespace {

// What a diff of git cannot show. `git apply` ignores such lines before a file's diff.
std::string NotesOf(const Change& change) {
  const Entry& known = change.is_removed() ? change.before : change.after;
  const bool is_one_sided = change.is_added() || change.is_removed();
  std::string text;
  const auto add = [&](const std::string& note) {
    text += "# " + GitName("", change.path) + ": " + note + "\n";
  };
  if (is_one_sided && !IsDiffable(known)) {
    const std::string kind(EntryKindWord(known.kind));
    add(change.is_removed() ? "deleted " + kind : "new " + kind + ", mode " + ModeText(known.mode));
  }
  if (change.is_too_deep) add("nested too deeply to be read");
  if (!change.is_same_content && (IsLarge(change.before) || IsLarge(change.after))) {
    add("larger than 16 MiB, so the text is not compared");
  }
  const bool has_mode_lines = IsDiffable(known) && change.moved_from.empty();
  if (change.has_other_mode() && !has_mode_lines) {
    add("mode " + ModeText(change.earlier().mode) + " -> " + ModeText(change.after.mode));
  }
  for (const std::string& name : change.other_attributes()) {
    add("attribute " + Quote(name) + (change.earlier().exists() ? " changed" : " set"));
  }
  return text;
}

Result<std::string> GitDiff(const Stage& stage, const Change& change) {
  if (!IsDiffable(change.before) && !IsDiffable(change.after)) return std::string();
  if (change.is_attributes_only()) return std::string();
  if (change.is_same_content) return DiffOf(change.path, {change.before, change.after, "", ""});
  const Result<std::string> before = BytesBefore(stage, change);
  if (!before) return before.error();
  const Result<std::string> after = BytesAfter(stage, change);
  if (!after) return after.error();
  const bool is_one_kind = change.before.kind == change.after.kind;
  if (is_one_kind || !IsDiffable(change.before) || !IsDiffable(change.after)) {
    return DiffOf(change.path, {change.before, change.after, *before, *after});
  }
  // A file that became a link, or the other way round: removed and added.
  Result<std::string> removed = DiffOf(change.path, {change.before, {}, *before, ""});
  if (!removed) return removed;
  Result<std::string> added = DiffOf(change.path, {{}, change.after, "", *after});
  return added ? Result<std::string>(*removed + *added) : added;
}

}  // namespace

Result<std::string> DiffText(const Stage& stage, const Change& change) {
  const Result<std::string> diff = GitDiff(stage, change);
  return diff ? Result<std::string>(NotesOf(change) + *diff) : diff;
}

std::string ForTerminal(const std::string& diff, bool colour) {
  std::string text;
  std::string_view rest = diff;
  while (!rest.empty()) {
    const std::string_view line = TakeUntil(rest, '\n');
    std::string_view code;
    if (line.starts_with("@@")) code = "\x1b[36m";
    if (line.starts_with('+')) code = "\x1b[32m";
    if (line.starts_with('-')) code = "\x1b[31m";
    if (line.starts_with("# ")) code = "\x1b[33m";
    if (line.starts_with("diff ") || line.starts_with("+++ ") || line.starts_with("--- ")) {
      code = "\x1b[1m";
    }
    const bool is_coloured = colour && !code.empty();
    if (is_coloured) text += code;
    text += PrintableWithTabs(line);
    if (is_coloured) text += "\x1b[m";
    text += '\n';
  }
  return text;
}

}  // namespace ringfence
