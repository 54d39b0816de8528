#include "files/tree_size.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/directory.h"
#include "files/beneath.h"

namespace ringfence {

uint64_t TreeSize(const UniqueFd& folder) {
  constexpr uint64_t kBlock = 512;  // stat(2)
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  uint64_t bytes = 0;
  std::vector<std::string> left{"."};
  while (!left.empty()) {
    const std::string path = std::move(left.back());
    left.pop_back();
    const Result<UniqueFd> opened = OpenBeneath(folder, path, kFolder);
    if (!opened) continue;
    ForEachName(*opened, [&](const char* name) {
      struct stat facts {};
      if (::fstatat(opened->get(), name, &facts, AT_SYMLINK_NOFOLLOW) != 0) return;
      bytes += static_cast<uint64_t>(facts.st_blocks) * kBlock;
      if (S_ISDIR(facts.st_mode)) left.push_back(path + "/" + name);
    });
  }
  return bytes;
}

}  // namespace ringfence
