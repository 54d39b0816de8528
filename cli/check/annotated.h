// The findings of `ringfence check` with their files and lines, for programs that show them beside
// the code.
#pragma once

#include "cli/check/subjects.h"
#include "cli/common/annotations.h"

namespace ringfence {

// A finding without a known file is at the first checked file, and its text says where it is:
// GitHub refuses results without a file.
Annotations AnnotationsOf(const Checked& checked);

}  // namespace ringfence
