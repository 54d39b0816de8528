// Changes of a stage in a few words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "staging/change_list.h"
#include "staging/stage.h"

namespace ringfence {

// Quoted paths are not cut below this length.
constexpr size_t kMaxShownPath = 32768;

// The path as it is shown before other text: quoted as in JSON, if it has white space, quotes,
// backslashes or characters that are invisible or look blank.
std::string ShownPath(std::string_view path);
// The same on a line of its own, where spaces need no quotes.
std::string PathLine(std::string_view path);

// "file", "directory", "link" or "special"; "" for kNone.
std::string_view EntryKindWord(EntryKind kind);

// "755"
std::string ModeText(uint32_t mode);

// True for a file or directory that all users may write.
bool IsOpenToAll(const Entry& entry);

// "moved from a", "mode 644 -> 755", "attributes changed (user.x)": all but the contents. "" if
// nothing of these is changed.
std::string DescribeFacts(const Change& change);

// "moved, mode 644 -> 755": the same for a change that is shown with both names.
std::string DescribeMove(const Change& change);

// "+1 line, -2 lines", "mode 644 -> 755", ...: the line of one change, without its path.
std::string DescribeChange(const Stage& stage, const Change& change);

}  // namespace ringfence
