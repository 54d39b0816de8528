// Objects of libgit2 that this process owns.
#pragma once

#include <git2.h>

#include <memory>

namespace ringfence {

struct GitDeleter {
  void operator()(git_index* index) const { git_index_free(index); }
  void operator()(git_indexer* indexer) const { git_indexer_free(indexer); }
  void operator()(git_odb* odb) const { git_odb_free(odb); }
  void operator()(git_odb_object* object) const { git_odb_object_free(object); }
  void operator()(git_repository* repository) const { git_repository_free(repository); }
};
template <typename Object>
using GitHandle = std::unique_ptr<Object, GitDeleter>;

}  // namespace ringfence
