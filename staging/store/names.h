// Names in a stage's directory (stage_store.h) that the sandbox uses.
#pragma once

namespace ringfence {

inline constexpr const char* kStageWritten = "written";  // the changes, as an overlay's upper layer
inline constexpr const char* kStageWork = "work";        // the kernel's own

}  // namespace ringfence
