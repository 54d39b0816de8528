// The words of a name that a server's author chose: "file" and "name" of "file_name", "fileName",
// "FileName2".
#pragma once

#include <string>
#include <string_view>

#include "policy/rules/word_list.h"

namespace ringfence {

// Takes the next word off `rest`, in lower case: "file" of "fileName", "url" of "URLPath"; "" where
// none is left. Whatever is no letter separates words.
std::string TakeNameWord(std::string_view& rest);

bool HoldsWord(std::string_view name, const WordList& words);

}  // namespace ringfence
