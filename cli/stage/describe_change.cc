#include "cli/stage/describe_change.h"

#include <array>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/common/console.h"
#include "staging/text_diff.h"

namespace ringfence {
namespace {

std::string_view KindText(EntryKind kind) {
  return kind == EntryKind::kSpecial ? "FIFO, socket or device" : EntryKindWord(kind);
}

// The text of a file that can be compared by lines; nothing for other entries.
std::optional<std::string> ComparedText(const Entry& entry,
                                        Result<std::string> (*read)(const Stage&,
                                                                    const std::string&),
                                        const Stage& stage, const std::string& path) {
  if (!entry.exists()) return std::string();
  if (!entry.is_file() || entry.size > kMaxDiffed) return {};
  Result<std::string> bytes = read(stage, path);
  if (!bytes || IsBinary(*bytes)) return {};
  return std::move(*bytes);
}

Result<std::string> ReadInStage(const Stage& stage, const std::string& path) {
  return stage.StagedBytes(path, kMaxDiffed);
}

Result<std::string> ReadInProject(const Stage& stage, const std::string& path) {
  return stage.ProjectBytes(path, kMaxDiffed);
}

std::string LinesText(const LineCounts& counts) {
  std::string text;
  if (counts.added > 0) text = "+" + Counted(counts.added, "line");
  if (counts.removed > 0) {
    text += (text.empty() ? "-" : ", -") + Counted(counts.removed, "line");
  }
  return text;
}

std::string DescribeFile(const Stage& stage, const Change& change) {
  const std::optional<std::string> before =
      ComparedText(change.before, ReadInProject, stage, change.path);
  const std::optional<std::string> after =
      ComparedText(change.after, ReadInStage, stage, change.path);
  const bool has_many = before && after && !before->empty() && !after->empty() &&
                        (HasTooManyLines(*before) || HasTooManyLines(*after));
  if (before && after && !has_many) {
    const Result<LineCounts> counts = CountLines(*before, *after);
    return counts ? LinesText(*counts) : counts.error().text();
  }
  std::string sizes;
  if (change.before.exists()) sizes = SizeText(change.before.size);
  if (change.before.exists() && change.after.exists()) sizes += " -> ";
  if (change.after.exists()) sizes += SizeText(change.after.size);
  const bool is_large = change.before.size > kMaxDiffed || change.after.size > kMaxDiffed;
  if (has_many) return "too many lines to compare, " + sizes;
  return (is_large ? "too large to compare, " : "binary, ") + sizes;
}

std::string DescribeContents(const Stage& stage, const Change& change) {
  const Entry& before = change.before;
  const Entry& after = change.after;
  const Entry& known = after.exists() ? after : before;
  if (before.exists() && after.exists() && before.kind != after.kind) {
    return std::string(KindText(before.kind)) + " -> " + std::string(KindText(after.kind));
  }
  if (after.is_link()) return "link to " + Quote(after.target);
  if (known.is_directory()) return before.exists() && after.exists() ? "" : "directory";
  if (!known.is_file()) return std::string(KindText(known.kind));
  return change.is_same_content ? "" : DescribeFile(stage, change);
}

// The parts, with commas; empty ones are left out.
std::string WithCommas(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

std::string MovedText(const Change& change) {
  return change.moved_from.empty() ? "" : "moved from " + ShownPath(change.moved_from);
}

std::string ModeChange(const Change& change) {
  const bool is_new = change.is_added() && change.moved_from.empty();
  if (is_new && IsOpenToAll(change.after)) {
    return "mode " + ModeText(change.after.mode) + ", which lets all users write";
  }
  if (!change.has_other_mode()) return "";
  return "mode " + ModeText(change.earlier().mode) + " -> " + ModeText(change.after.mode);
}

// The command chooses the names, so only the first are shown. New files often have those that their
// directory gives them; the diff shows them.
std::string AttributesText(const Change& change) {
  constexpr size_t kMost = 3;
  std::vector<std::string> names = change.other_attributes();
  if (names.empty() || !change.earlier().exists()) return "";
  const size_t count = names.size();
  if (count > kMost) names.resize(kMost);
  for (std::string& name : names) name = ShownPath(name);
  const std::string more = count > kMost ? " and " + Grouped(count - kMost) + " more" : "";
  return "attributes changed (" + WithCommas(names) + more + ")";
}

}  // namespace

std::string PathLine(std::string_view path) {
  std::string quoted = Quote(path, kMaxShownPath);
  const bool is_plain = quoted.size() == path.size() + 2 && quoted.find(path) != quoted.npos;
  return is_plain ? std::string(path) : quoted;
}

std::string ShownPath(std::string_view path) {
  return path.find(' ') == path.npos ? PathLine(path) : Quote(path, kMaxShownPath);
}

std::string_view EntryKindWord(EntryKind kind) {
  switch (kind) {
    case EntryKind::kNone:
      return "";
    case EntryKind::kFile:
      return "file";
    case EntryKind::kDirectory:
      return "directory";
    case EntryKind::kLink:
      return "link";
    case EntryKind::kSpecial:
      return "special";
  }
  return "";
}

std::string ModeText(uint32_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%o", mode);
  return text.data();
}

bool IsOpenToAll(const Entry& entry) {
  constexpr uint32_t kAllWrite = 0002;
  const bool has_mode = entry.is_file() || entry.is_directory();
  return has_mode && (entry.mode & kAllWrite) != 0;
}

std::string DescribeFacts(const Change& change) {
  return WithCommas({MovedText(change), ModeChange(change), AttributesText(change)});
}

std::string DescribeMove(const Change& change) {
  return WithCommas({"moved", ModeChange(change), AttributesText(change)});
}

std::string DescribeChange(const Stage& stage, const Change& change) {
  const std::string contents = change.moved_from.empty() ? DescribeContents(stage, change) : "";
  const std::string text =
      WithCommas({change.is_removed() ? "deleted" : "", contents,
                  change.is_too_deep ? "nested too deeply to be read" : "", DescribeFacts(change)});
  return text.empty() ? (change.is_added() ? "empty" : "changed") : text;
}

}  // namespace ringfence
