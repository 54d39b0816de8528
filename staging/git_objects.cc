#include "staging/git_objects.h"

#include <fcntl.h>
#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "base/syscall.h"
#include "files/beneath.h"
#include "files/remove_tree.h"
#include "staging/git_handle.h"
#include "staging/libgit2.h"

namespace ringfence {
namespace {

constexpr const char* kChecked = "git-check";  // in the stage's directory
constexpr size_t kMaxChecked = size_t{256} << 20;

bool WriteIn(const UniqueFd& folder, const std::string& name, std::string_view bytes) {
  const UniqueFd file(::openat(folder.get(), name.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file.valid() && WriteAll(file.get(), bytes).has_value();
}

// Reads the object, which compares its content with its name (libgit2's strict hash verification).
bool ReadsLoose(const std::string& objects, const std::string& id) {
  git_oid wanted{};
  git_odb* opened = nullptr;
  if (git_oid_fromstr(&wanted, id.c_str()) != 0 || git_odb_new(&opened) != 0) return false;
  const GitHandle<git_odb> odb(opened);
  git_odb_backend* backend = nullptr;
  if (git_odb_backend_loose(&backend, objects.c_str(), 0, 0, 0, 0) != 0) return false;
  if (git_odb_add_backend(odb.get(), backend, 1) != 0) return false;
  size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  const bool is_small =
      git_odb_read_header(&size, &type, odb.get(), &wanted) == 0 && size <= kMaxChecked;
  git_odb_object* read = nullptr;
  if (!is_small || git_odb_read(&read, odb.get(), &wanted) != 0) return false;
  const GitHandle<git_odb_object> object(read);
  return true;
}

// The index of the pack, made from its content; "" if the pack is damaged or not complete.
std::string IndexOf(std::string_view pack, const StageFolder& folder, const std::string& id) {
  git_indexer* made = nullptr;
  const std::string path = folder.path().Child(kChecked).text();
  if (git_indexer_new(&made, path.c_str(), 0, nullptr, nullptr) != 0) return "";
  const GitHandle<git_indexer> indexer(made);
  git_indexer_progress progress{};
  if (git_indexer_append(indexer.get(), pack.data(), pack.size(), &progress) != 0) return "";
  if (git_indexer_commit(indexer.get(), &progress) != 0) return "";
  const Result<UniqueFd> index = OpenBeneath(
      folder.fd(), std::string(kChecked) + "/pack-" + id + ".idx", O_RDONLY | O_NOFOLLOW);
  if (!index) return "";
  Result<std::string> bytes = ReadAll(index->get(), kMaxChecked, "index");
  return bytes ? std::move(*bytes) : "";
}

}  // namespace

GitObjects::~GitObjects() { (void)RemoveTreeAt(stage_.folder().fd().get(), kChecked); }

bool GitObjects::IsSound(const std::string& path) {
  const std::string_view name = NameOf(path);
  if (!name.starts_with("pack-")) return IsSoundLoose(path);
  const std::string pack = path.substr(0, path.rfind('.'));
  const auto known = packs_.find(pack);
  if (known != packs_.end()) return known->second;
  return packs_[pack] = IsSoundPack(pack);
}

bool GitObjects::IsSoundLoose(const std::string& path) {
  const Result<std::string> bytes = stage_.StagedBytes(path, kMaxChecked);
  if (!bytes || !StartLibgit2()) return false;
  const std::string first(NameOf(FolderOf(path)));
  const std::string rest(NameOf(path));
  const int own = stage_.folder().fd().get();
  if (!RemoveTreeAt(own, kChecked)) return false;
  const std::string folder = std::string(kChecked) + "/" + first;
  if (::mkdirat(own, kChecked, 0700) != 0 || ::mkdirat(own, folder.c_str(), 0700) != 0) {
    return false;
  }
  const Result<UniqueFd> opened = OpenBeneath(stage_.folder().fd(), folder, O_RDONLY | O_DIRECTORY);
  return opened && WriteIn(*opened, rest, *bytes) &&
         ReadsLoose(stage_.folder().path().Child(kChecked).text(), first + rest);
}

bool GitObjects::IsSoundPack(const std::string& path) {
  const Result<std::string> pack = stage_.StagedBytes(path + ".pack", kMaxChecked);
  const Result<std::string> index = stage_.StagedBytes(path + ".idx", kMaxChecked);
  if (!pack || !index || !StartLibgit2()) return false;
  const int own = stage_.folder().fd().get();
  if (!RemoveTreeAt(own, kChecked) || ::mkdirat(own, kChecked, 0700) != 0) return false;
  const std::string id(NameOf(path).substr(std::string_view("pack-").size()));
  const std::string sound = IndexOf(*pack, stage_.folder(), id);
  return !sound.empty() && sound == *index;
}

}  // namespace ringfence
