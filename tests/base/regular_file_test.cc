#include "base/regular_file.h"

#include <doctest/doctest.h>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

TEST_CASE("files: only regular files are read") {
  const TemporaryTree tree;
  CHECK_FALSE(ReadIfThere(tree.root()).has_value());
  CHECK_FALSE(ReadIfThere(tree.At("missing")).value().has_value());
}
