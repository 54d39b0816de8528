#include "policy/event.h"

#include <algorithm>
#include <iterator>

#include "agents/claude/tools.h"
#include "base/path.h"

namespace ringfence {

bool PointerCovers(std::string_view pattern, std::string_view pointer) {
  while (!pattern.empty()) {
    const std::string_view want = TakeComponent(pattern);
    const std::string_view have = TakeComponent(pointer);
    if (want.empty()) return true;
    if (have.empty() || (want != "*" && want != have)) return false;
  }
  return true;
}

bool MayMatter(std::string_view key) {
  // Arguments of known tools whose names say nothing by themselves.
  constexpr std::string_view kKeys[] = {
      "_host",    "allowed_domains", "assets",   "attachments", "from",
      "glob",     "isolation",       "localDir", "name",        "pattern",
      "question", "server",          "ws"};
  if (std::ranges::find(kKeys, key) != std::end(kKeys)) return true;
  return IsSandboxFlag(key) || UsualNameOf(key) != UsualName::kNone;
}

}  // namespace ringfence
