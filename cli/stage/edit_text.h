// Lets the user edit a text in their own editor.
#pragma once

#include <string>

#include "base/result.h"
#include "staging/store/stage_store.h"

namespace ringfence {

// Starts the editor of VISUAL or EDITOR, or else vi(1), with a copy of the text in the stage's
// directory, under the file's own name. Returns the text as the user saved it; an error if the
// editor cannot be started or fails.
Result<std::string> EditText(const StageFolder& stage, const std::string& name,
                             const std::string& text);

}  // namespace ringfence
