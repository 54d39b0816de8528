// Names of macOS: directories that raise a privacy dialog when opened are refused by name and not
// touched.
#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

constexpr const char* kPrivate[] = {"Documents", "Desktop", "Pictures", "Library",
                                    "Library/Mobile Documents"};

class Mac : public World {
 public:
  explicit Mac(const std::string& root = "/Users/dev/src/project") {
    places.macos_names = true;
    MoveHome("/Users/dev", "/Users/dev");
    MoveRoot(root, root);
    cwd = root;
    for (const char* folder : kPrivate) {
      files.Put("/Users/dev/" + std::string(folder) + "/x", File());
    }
    files.Put("/Users/dev/Library/Keychains/login.keychain-db", File());
    files.Put("/Users/dev/Pictures/Photos Library.photoslibrary/x", File());
    files.Put("/Users/dev/Library/Mobile Documents/com~apple~CloudDocs/x", File());
    files.Put(root + "/README.md", File());
  }
};

// True if a call touches a path below a directory of the home.
bool Touches(const World& world, std::string_view tool, std::string_view input,
             const std::string& folder) {
  const RecordingFiles recorder(world.files);
  world.Decide(world.EventOf(tool, input), recorder);
  return recorder.HasTouchedBelow("/Users/dev/" + folder);
}

}  // namespace

TEST_CASE("macos: the private directories are secret, whatever else is allowed") {
  Mac world;
  world.User(R"("read":{"allow":["/"]})");
  for (const std::string_view path :
       {"~/Documents", "~/Documents/x", "~/Desktop/x", "~/Pictures/Photos Library.photoslibrary/x",
        "~/Library/Keychains/login.keychain-db", "~/Library/Messages/chat.db",
        "~/Library/Mobile Documents/com~apple~CloudDocs/x", "~/documents/x", "~/DESKTOP/x",
        "/Library/Keychains/System.keychain"}) {
    CAPTURE(path);
    CHECK(world.Read(path) == "deny");
  }
  CHECK(world.Read("~/Music/x") == "permit");
  CHECK(world.Read("~/Documents2/x") == "permit");
}

TEST_CASE("macos: on other systems these are ordinary names") {
  World world;
  world.User(R"("read":{"allow":["/"]})");
  CHECK(world.Read("~/Documents/x") == "permit");
  CHECK(world.Read("~/Library/x") == "permit");
}

TEST_CASE("macos: nothing below a directory that is refused by name is touched") {
  Mac world;
  world.files.Put("/Users/dev/src/project/docs", LinkTo("/Users/dev/Documents"));
  world.files.Put("/Users/dev/src/project/photo", LinkTo("../../Pictures/x"));
  struct Row {
    std::string_view name;
    std::string_view tool, input;
  };
  static constexpr Row kRows[] = {
      {"read", "Read", R"({"file_path":"~/Documents/a/b"})"},
      {"read in other case", "Read", R"({"file_path":"/users/dev/documents/a"})"},
      {"write", "Write", R"({"file_path":"~/Desktop/a"})"},
      {"edit", "Edit", R"({"file_path":"~/Library/a"})"},
      {"through a link", "Read", R"({"file_path":"docs/a"})"},
      {"write through a link", "Write", R"({"file_path":"docs/a"})"},
      {"through a link to a file", "Read", R"({"file_path":"photo"})"},
      {"in and out again", "Read", R"({"file_path":"~/Documents/../src/project/README.md"})"},
      {"search", "Grep", R"({"pattern":"x","path":"~/Documents"})"},
      {"search above", "Grep", R"({"pattern":"x","path":"~"})"},
      {"pattern", "Glob", R"({"pattern":"/Users/dev/Library/*"})"},
      {"pattern in the project", "Glob", R"({"pattern":"**/*"})"},
      {"in the project", "Read", R"({"file_path":"README.md"})"},
      {"write in the project", "Write", R"({"file_path":"README.md"})"},
      {"a folder of iCloud", "Read", R"({"file_path":"~/Library/Mobile Documents/x"})"},
      {"photos", "Read", R"({"file_path":"~/Pictures/Photos Library.photoslibrary/x"})"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    for (const char* folder : kPrivate) {
      CAPTURE(folder);
      CHECK_FALSE(Touches(world, row.tool, row.input, folder));
    }
  }
  CHECK(Touches(world, "Read", R"({"file_path":"README.md"})", "src"));  // the recorder works
}

TEST_CASE("macos: rules with paths in such directories touch nothing there either") {
  Mac world;
  world.User(R"("read":{"allow":[".","~/Documents/notes"],"deny":["@secrets","~/Documents/old",
                        "~/Library/x/y"],"ask":["~/Desktop/a/b"]},
                "write":{"allow":[".","~/Library/Caches/x"],"ask":["~/Pictures/a/b","@runs-later"]})");
  for (const std::string_view tool : {"Read", "Write"}) {
    for (const char* folder : kPrivate) {
      CAPTURE(folder);
      CHECK_FALSE(Touches(world, tool, R"({"file_path":"README.md"})", folder));
      CHECK_FALSE(Touches(world, tool, R"({"file_path":"~/other"})", folder));
      CHECK_FALSE(Touches(world, "Grep", R"({"pattern":"x"})", folder));
    }
  }
}

TEST_CASE("macos: rules that lead there through a link touch nothing there either") {
  Mac world;
  world.files.Put("/Users/dev/notes", LinkTo("/Users/dev/Documents/notes"));
  world.files.Put("/Users/dev/Documents/notes/old/x", File());
  world.User(R"("read":{"allow":[".","~/notes/new"],"deny":["@secrets","~/notes/old"],
                        "ask":["~/notes/private/x"]},
                "write":{"deny":["~/notes/old","@secrets"],"ask":["~/notes/a"]})");
  CHECK_FALSE(Touches(world, "Read", R"({"file_path":"README.md"})", "Documents"));
  CHECK_FALSE(Touches(world, "Write", R"({"file_path":"README.md"})", "Documents"));
  CHECK_FALSE(Touches(world, "Read", R"({"file_path":"~/other"})", "Documents"));
  CHECK_FALSE(Touches(world, "Grep", R"({"pattern":"x"})", "Documents"));
}

TEST_CASE("macos: a project below one of them stays usable, and keychains stay denied") {
  struct Row {
    std::string root, other;
  };
  const Row rows[] = {
      {"/Users/dev/Documents/project", "~/Desktop/x"},
      {"/Users/dev/Desktop/a/b/project", "~/Documents/x"},
      {"/Users/dev/Library/Mobile Documents/com~apple~CloudDocs/project", "~/Documents/x"},
      {"/Users/dev/Library/Application Support/project", "~/Desktop/x"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.root);
    const Mac world(row.root);
    CHECK(world.Read("README.md") == "permit");
    CHECK(world.Write("new/file") == "permit");
    CHECK(world.Call("Grep", R"({"pattern":"x"})") == "permit");
    CHECK(world.Read(row.other) == "deny");
    CHECK(world.Read("~/Library/Keychains/login.keychain-db") == "deny");
    CHECK_FALSE(Touches(world, "Read", R"({"file_path":"README.md"})", "Library/Keychains"));
    CHECK_FALSE(Touches(world, "Grep", R"({"pattern":"x"})", "Library/Keychains"));
  }
}

TEST_CASE(
    "macos: keychains and photos stay denied if the policy allows the directory around them") {
  Mac world("/Users/dev/Library/Application Support/project");
  world.User(R"("read":{"allow":[".","~/Library","~/Pictures"]})");
  CHECK(world.Read("~/Library/Preferences/x") == "permit");
  CHECK(world.Read("~/Library/Keychains/login.keychain-db") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"~/Library"})") == "deny");
  CHECK(world.Read("~/Pictures/x") == "deny");
}

TEST_CASE("macos: a disk that ignores letter case gives the same answers") {
  Mac world;
  FakeFiles& files = world.files;
  const FakeFiles folding({{"/Users/dev/src/project/README.md", File()},
                           {"/Users/dev/src/project/Link", LinkTo("/etc")},
                           {"/Users/dev/Documents/x", File()}},
                          LetterCase::kIgnored);
  CHECK(files.Look(Path::Clean("/users/dev"))->kind == FileKind::kMissing);
  const auto verdict = [&](std::string_view tool, std::string_view path) {
    return VerdictName(world.Decide(world.EventOf(tool, PathInput(path)), folding).verdict);
  };
  CHECK(verdict("Read", "README.md") == "permit");
  CHECK(verdict("Read", "readme.MD") == "permit");
  CHECK(verdict("Read", "link/passwd") == "deny");
  CHECK(verdict("Read", "LINK/passwd") == "deny");
  CHECK(verdict("Read", "~/DOCUMENTS/x") == "deny");
  CHECK(verdict("Write", ".CLAUDE/settings.json") == "deny");
}

TEST_CASE("macos: a search is denied for paths in such directories, without touching them") {
  Mac world;
  world.User(R"("read":{"allow":["~"],"deny":["~/Documents/*.key","~/Documents/old/x","~/link/a",
                        "@secrets"]})");
  world.files.Put("/Users/dev/link", LinkTo("/Users/dev/Pictures/b"));
  for (const std::string_view path : {"~", "~/Documents"}) {
    CAPTURE(path);
    const std::string input = R"({"pattern":"x","path":")" + std::string(path) + "\"}";
    CHECK(world.Call("Grep", input) == "deny");
    CHECK_FALSE(Touches(world, "Grep", input, "Pictures"));
    CHECK_FALSE(Touches(world, "Grep", input, "Documents"));
  }
}
