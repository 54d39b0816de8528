// Splits a name that a server's author chose into words: "file" and "name" in "file_name",
// "fileName" and "FileName2".
#pragma once

#include <string>
#include <string_view>

#include "policy/rules/word_list.h"

namespace ringfence {

// Removes the next word from `rest` and returns it in lower case: "file" from "fileName", "url"
// from "URLPath"; "" if none is left. Any character except a letter separates words.
std::string TakeNameWord(std::string_view& rest);

bool HoldsWord(std::string_view name, const WordList& words);

}  // namespace ringfence
