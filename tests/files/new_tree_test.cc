#include "files/new_tree.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "tests/support/filtered_call.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

// A directory with a file to copy, and one for the copy.
class Copying {
 public:
  Copying() {
    tree_.File("from/file", "text\n");
    tree_.Link("from/link", "file");
    tree_.Directory("to");
    from_ = Open("from");
    to_ = Open("to");
  }

  // The errno value of the failure; 0 if the tree was created.
  int Copy(const std::string& source, const CopySources& sources) const {
    const Status made = CreateTree(to_, "copy", {.entries = {{.source = source}}}, sources);
    return made ? 0 : made.error().code;
  }
  CopySources WithoutLeftOut() const { return {.folder = &from_}; }
  CopySources WithLeftOut() {
    return {.folder = &from_, .left_out = [this](const NewEntry& entry, const Error& error) {
              left_out.push_back(entry.source + " " + std::to_string(error.code));
            }};
  }
  bool HasCopy() const { return ::access(tree_.At("to/copy").c_str(), F_OK) == 0; }

  std::vector<std::string> left_out;

 private:
  UniqueFd Open(const char* name) const {
    return UniqueFd(::open(tree_.At(name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  TemporaryTree tree_;
  UniqueFd from_, to_;
};

}  // namespace

TEST_CASE("new tree: a source that is gone is left out only if the caller allows it") {
  struct Row {
    std::string source;
    int code;
  };
  const std::vector<Row> rows = {
      {"gone", ENOENT}, {"gone/file", ENOENT}, {"file/x", ENOTDIR}, {"link", ELOOP}};
  for (const Row& row : rows) {
    CAPTURE(row.source);
    Copying copying;
    CHECK(copying.Copy(row.source, copying.WithoutLeftOut()) == row.code);
    CHECK(copying.Copy(row.source, copying.WithLeftOut()) == 0);
    CHECK(copying.left_out ==
          std::vector<std::string>{row.source + " " + std::to_string(row.code)});
    CHECK_FALSE(copying.HasCopy());
  }
}

TEST_CASE("new tree: a source without permission is left out, and all other errors are reported") {
  for (const int code : {EACCES, EMFILE, ENFILE, ENOMEM, EIO, EPERM, ESTALE}) {
    CAPTURE(code);
    Copying copying;
    int copied = -1;
    if (!WithFailingCall(SYS_openat2, static_cast<uint32_t>(code),
                         [&] { copied = copying.Copy("file", copying.WithLeftOut()); })) {
      return;
    }
    CHECK(copied == (code == EACCES ? 0 : code));
    CHECK(copying.left_out.size() == (code == EACCES ? 1 : 0));
    CHECK_FALSE(copying.HasCopy());
  }
}
