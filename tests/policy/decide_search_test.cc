// Glob, Grep and LS: where a search starts, what its pattern covers, and which paths it would find.
#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view input, want;
};

void Check(const World& world, std::string_view tool, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.input);
    CHECK(world.Call(tool, row.input) == row.want);
  }
}

std::string Pattern(std::string_view pattern) {
  return "{\"pattern\":" + JsonString(pattern) + "}";
}

// The project's directory "many" contains 2,100 directories with a file "x" in each.
class ManyFolders final : public FileView {
 public:
  explicit ManyFolders(const FileView& files) : files_(files) {}

  Result<FileFacts> Look(const Path& path) const override {
    if (!path.IsInside(many_)) return files_.Look(path);
    return FileFacts{.kind = path.name() == "x" ? FileKind::kFile : FileKind::kDirectory};
  }
  Result<std::string> ReadLink(const Path& path) const override { return files_.ReadLink(path); }
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override {
    if (!directory.IsInside(many_)) return files_.List(directory, most);
    if (directory != many_) return std::vector<DirectoryEntry>{{"x", FileKind::kFile}};
    std::vector<DirectoryEntry> entries;
    for (int i = 0; i < 2100; ++i) entries.push_back({std::to_string(i), FileKind::kDirectory});
    return entries;
  }

 private:
  const FileView& files_;
  Path many_ = Path::Clean("/home/dev/project/many");
};

constexpr Row kGlobs[] = {
    {"everything", R"({"pattern":"**/*"})", "permit"},
    {"below a folder", R"({"pattern":"src/**/*.cc"})", "permit"},
    {"with braces", R"({"pattern":"**/*.{ts,tsx}"})", "permit"},
    {"with a range of numbers", R"({"pattern":"v{1..3}/*"})", "permit"},
    {"an ellipsis in a name", R"({"pattern":"a...b/*"})", "permit"},
    {"in a folder", R"({"pattern":"*.cc","path":"src"})", "permit"},
    {"in the absolute project", R"({"pattern":"*","path":"/home/dev/project"})", "permit"},
    {"an absolute pattern in the project", R"({"pattern":"/home/dev/project/src/*"})", "permit"},
    {"an empty folder: the client takes the working directory", R"({"pattern":"*","path":""})",
     "permit"},
    {"an absolute pattern outside", R"({"pattern":"/etc/*"})", "deny"},
    {"an absolute pattern at the root", R"({"pattern":"/**/passwd"})", "deny"},
    {"a folder outside", R"({"pattern":"*","path":"/etc"})", "deny"},
    {"a folder above", R"({"pattern":"*","path":".."})", "deny"},
    {"the home", R"({"pattern":"*","path":"~"})", "deny"},
    {"below the home by pattern", R"({"pattern":"~/*"})", "deny"},
    {"up in the pattern", R"({"pattern":"../*"})", "deny"},
    {"up in the middle of the pattern", R"({"pattern":"src/../../x/*"})", "deny"},
    {"up behind a wildcard", R"({"pattern":"*/../../x"})", "deny"},
    {"up in braces", R"({"pattern":"{src,..}/*"})", "deny"},
    {"up made of braces", R"({"pattern":"{.,x}./*"})", "deny"},
    {"up in an extended glob", R"({"pattern":"@(..|src)/*"})", "deny"},
    {"up behind escapes", R"({"pattern":"\\.\\./*"})", "deny"},
    {"up in brackets", R"({"pattern":"[.][.]/*"})", "deny"},
    {"outside in braces", R"({"pattern":"{/etc,src}/*"})", "deny"},
    {"an absolute pattern although a folder is named",
     R"({"pattern":"/etc/*","path":"/home/dev/project"})", "deny"},
    {"no pattern", R"({"path":"src"})", "deny"},
    {"a pattern that is no string", R"({"pattern":["*"]})", "deny"},
    {"a folder that is no string", R"({"pattern":"*","path":{"a":"src"}})", "deny"},
};

constexpr Row kGreps[] = {
    {"in the working directory", R"({"pattern":"x"})", "permit"},
    {"a regular expression that looks like a path", R"({"pattern":"/etc/../../passwd"})", "permit"},
    {"a regular expression that looks like an option", R"({"pattern":"--pre=sh"})", "permit"},
    {"in a folder", R"({"pattern":"x","path":"src"})", "permit"},
    {"in a file", R"({"pattern":"x","path":"README.md"})", "permit"},
    {"with a filter", R"({"pattern":"x","glob":"*.{cc,h}"})", "permit"},
    {"with an empty filter", R"({"pattern":"x","glob":""})", "permit"},
    {"with a filter that excludes", R"({"pattern":"x","glob":"!**/vendor/**"})", "permit"},
    {"with a type", R"({"pattern":"x","type":"cpp","output_mode":"content","-n":true})", "permit"},
    {"in a folder outside", R"({"pattern":"x","path":"/etc"})", "deny"},
    {"in a folder above", R"({"pattern":"x","path":"../.."})", "deny"},
    {"up in the filter", R"({"pattern":"x","glob":"../*"})", "deny"},
    {"an absolute filter outside", R"({"pattern":"x","glob":"/etc/*"})", "deny"},
    {"several folders", R"({"pattern":"x","path":["src","/etc"]})", "deny"},
    {"a folder that looks like an option", R"({"pattern":"x","path":"-f/etc/passwd"})", "permit"},
};

}  // namespace

TEST_CASE("search: Glob is checked by its directory and its pattern") {
  const World world;
  Check(world, "Glob", kGlobs);
}

TEST_CASE("search: Grep is checked by its directory and its filter") {
  const World world;
  Check(world, "Grep", kGreps);
}

TEST_CASE("search: LS is checked by its directory") {
  const World world;
  CHECK(world.Call("LS", R"({"path":"/home/dev/project"})") == "permit");
  CHECK(world.Call("LS", R"({"path":"/home/dev"})") == "deny");
  CHECK(world.Call("LS", R"({})") == "deny");
}

TEST_CASE("search: without a directory it starts in the working directory, wherever that is") {
  World world;
  world.cwd = "/home/dev/elsewhere";
  CHECK(world.Call("Grep", R"({"pattern":"x"})") == "deny");
  CHECK(world.Call("Glob", R"({"pattern":"*"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"/home/dev/project"})") == "permit");
  CHECK(world.Call("Glob", R"({"pattern":"/home/dev/project/*"})") == "permit");
  world.cwd.reset();
  CHECK(world.Call("Grep", R"({"pattern":"x"})") == "deny");
  CHECK(world.Call("Glob", R"({"pattern":"*"})") == "deny");
  CHECK(world.Call("Glob", R"({"pattern":"/home/dev/project/*"})") == "permit");
}

TEST_CASE("search: a link in the directory or in the pattern's beginning is followed") {
  World world;
  world.files.Put("/home/dev/project/out", LinkTo("/etc"));
  CHECK(world.Call("Glob", R"({"pattern":"*","path":"out"})") == "deny");
  CHECK(world.Call("Glob", R"({"pattern":"out/*"})") == "deny");
  CHECK(world.Call("Glob", R"({"pattern":"{out,src}/*"})") == "deny");
  CHECK(world.Call("Glob", R"({"pattern":"[o]ut/*"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"out/"})") == "deny");
}

TEST_CASE("search: above a denied directory it is denied, beside it is not") {
  World world;
  world.files.Put("/home/dev/project/private/key", File());
  world.files.Put("/home/dev/project/docs/x.md", File());
  world.User(R"("read":{"deny":["private","never-made","**/.env"]})");
  CHECK(world.Call("Grep", R"({"pattern":"x"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"."})") == "deny");
  CHECK(world.Call("Glob", Pattern("**/*")) == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"private"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"Private/sub"})") == "deny");
  CHECK(world.Call("Glob", Pattern("private/*")) == "deny");
  CHECK(world.Call("Glob", Pattern("{docs,private}/*")) == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"docs"})") == "permit");
  CHECK(world.Call("Glob", Pattern("docs/**")) == "permit");
  CHECK(world.Call("Glob", Pattern("src/*.cc")) == "permit");
}

TEST_CASE("search: a plain name and a negation are searched everywhere") {
  World world;
  world.files.Put("/home/dev/project/private/key", File());
  world.User(R"("read":{"deny":["private"]})");
  for (const std::string_view pattern :
       {"key", "./key", "{key,b}", "!x", "!zzz/q", "src/", "[k]ey"}) {
    CAPTURE(pattern);
    CHECK(world.Call("Glob", Pattern(pattern)) == "deny");
  }
  CHECK(world.Call("Glob", Pattern("src/key")) == "permit");
  CHECK(world.Call("Glob", Pattern("./src/key")) == "permit");
}

TEST_CASE("search: a missing target of a link denies no search") {
  World world;
  world.MoveRoot("/home/dev/dots", "/home/dev/dots");
  world.cwd = "/home/dev/dots";
  world.files.Put("/home/dev/dots/config/nvim/init.lua", File());
  world.files.Put("/home/dev/.config", LinkTo("dots/config"));
  CHECK(world.Call("Grep", R"({"pattern":"x"})") == "permit");
  world.files.Put("/home/dev/dots/config/gh/hosts.yml", File());
  CHECK(world.Call("Grep", R"({"pattern":"x"})") == "deny");
}

TEST_CASE("search: a missing denied path and \"**/\" denies do not deny a search") {
  World world;
  world.User(R"("read":{"deny":["never-made","**/.env","@secrets"]})");
  CHECK(world.Call("Grep", R"({"pattern":"x"})") == "permit");
  CHECK(world.Call("Glob", Pattern("**/*")) == "permit");
}

TEST_CASE("search: a denied pattern in a fixed directory denies a search that covers a match") {
  World world;
  world.files.Put("/home/dev/project/private/a.key", File());
  world.User(R"("read":{"deny":["private/*.key"]})");
  CHECK(world.Read("private/a.key") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"private"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"src"})") == "permit");
}

TEST_CASE("search: denied above a secret directory, and above the target of a denied link") {
  World world;
  world.files.Put("/home/dev/.ssh/id_rsa", File());
  world.User(R"("read":{"allow":[".","~"]})");
  CHECK(world.Call("Grep", R"({"pattern":"KEY","path":"~"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"KEY","path":"~/project"})") == "permit");
  world.files.Put("/home/dev/.aws", LinkTo("project/cloud/aws"));
  world.files.Put("/home/dev/project/cloud/aws/credentials", File());
  CHECK(world.Call("Grep", R"({"pattern":"KEY","path":"~/project/cloud"})") == "deny");
  CHECK(world.Call("Grep", R"({"pattern":"KEY","path":"~/project/src"})") == "permit");
}

TEST_CASE("search: the reason for a search above a denied directory says what to do") {
  World world;
  world.files.Put("/home/dev/project/private/key", File());
  world.User(R"("read":{"deny":["private"]})");
  CHECK(ReasonText(world.Decide("Grep", R"({"pattern":"x"})"), "") ==
        R"(ringfence: search of "/home/dev/project" refused: it would search what is denied by )"
        R"("private". Search a directory without it. Rule: policy.json:1 /read/deny.)");
}

TEST_CASE("search: no command is suggested that is not sufficient") {
  World world;
  world.files.Put("/etc/ssl/private/key.pem", File());
  world.files.Put("/etc/ssl/certs/a.pem", File());
  const auto reason = [&world](std::string_view tool, std::string_view input) {
    return ReasonText(world.Decide(tool, input), "");
  };
  for (const std::string& text : {reason("Grep", R"({"pattern":"x","path":"/etc/ssl"})"),
                                  reason("Glob", Pattern("/etc/ssl/**/*.pem"))}) {
    CHECK(text.find("it would search what is denied by \"@secrets\"") != std::string::npos);
    CHECK(text.find("ringfence allow") == std::string::npos);
  }
  const std::string below = reason("Grep", R"({"pattern":"x","path":"/etc/ssl/certs"})");
  CHECK(below.find("`ringfence allow --read /etc/ssl/certs`") != std::string::npos);
}

TEST_CASE("search: an ask counts for the directory that is searched") {
  World world;
  world.User(R"("read":{"ask":["src"]})");
  CHECK(world.Call("Grep", R"({"pattern":"x","path":"src"})") == "ask");
  CHECK(world.Call("Glob", Pattern("src/*")) == "ask");
  CHECK(world.Call("Glob", Pattern("docs/*")) == "permit");
}

TEST_CASE("search: a pattern of a deny list counts if its directory is below") {
  World world;
  world.files.Put("/home/dev/project/keys/a.pem", File());
  world.files.Put("/home/dev/project/deep/one/two/secret", File());
  world.files.Put("/home/dev/project/other/x", File());
  struct Deny {
    std::string_view rule, folder, want;
  };
  static constexpr Deny kRows[] = {
      {"keys/*.pem", "keys", "deny"},
      {"keys/*.pem", ".", "deny"},
      {"keys/*.key", ".", "permit"},
      {"keys/*.pem", "other", "permit"},
      {"deep/*/two/secret", ".", "deny"},
      {"deep/*/two/secret", "deep/one", "deny"},
      {"deep/**/secret", "deep/one/two", "deny"},
      {"deep/*/two/secret", "other", "permit"},
      {"deep/**/secret", ".", "deny"},
      {"deep/**/other", ".", "permit"},
      {"deep/**/secret", "other", "permit"},
      {"keys/**", ".", "deny"},
      {"keys/**", "keys", "deny"},
      {"none/**", ".", "permit"},
      {"keys/*.key", "keys", "permit"},
      {"deep/*/x/y", "deep/one", "permit"},
      {"deep/**/one/**/secret", "deep", "deny"},
      {"none/*/two/secret", ".", "permit"},
      {"deep/x*/two", "deep/one", "permit"},
  };
  for (const Deny& row : kRows) {
    CAPTURE(row.rule);
    CAPTURE(row.folder);
    world.sources.sources.clear();
    world.User(R"("read":{"deny":[)" + JsonString(row.rule) + "]}");
    CHECK(world.Call("Grep", R"({"pattern":"x","path":")" + std::string(row.folder) + "\"}") ==
          row.want);
  }
}

TEST_CASE("search: unreadable parts below a pattern's directory count as matches") {
  World world;
  world.files.Put("/home/dev/project/keys/locked", UnreadableDirectory());
  world.files.Put("/home/dev/project/links/out", LinkTo("/srv"));
  world.files.Put("/home/dev/project/deep/links/out", LinkTo("/srv"));
  struct Deny {
    std::string_view rule, want;
  };
  static constexpr Deny kRows[] = {
      {"keys/*/x", "deny"},  {"keys/l*", "deny"},      {"keys/a*", "permit"},
      {"links/*/x", "deny"}, {"links/a*/x", "permit"}, {"deep/**/y", "permit"},
  };
  for (const Deny& row : kRows) {
    CAPTURE(row.rule);
    world.sources.sources.clear();
    world.User(R"("read":{"deny":[)" + JsonString(row.rule) + "]}");
    CHECK(world.Call("Grep", R"({"pattern":"x"})") == row.want);
  }
}

TEST_CASE("search: Grep's own filter selects names, and may not name another directory") {
  const World world;
  static constexpr Row kRows[] = {
      {"names", R"({"pattern":"x","glob":"*.cc"})", "permit"},
      {"a folder below", R"({"pattern":"x","glob":"src/*.cc"})", "permit"},
      {"none", R"({"pattern":"x","glob":""})", "permit"},
      {"the project's own folder, whole", R"({"pattern":"x","glob":"/home/dev/project/src/*"})",
       "permit"},
      {"elsewhere", R"({"pattern":"x","glob":"/etc/*"})", "deny"},
      {"the home", R"({"pattern":"x","glob":"~/*"})", "deny"},
  };
  Check(world, "Grep", kRows);
  static constexpr Row kGlob[] = {
      {"an empty folder", R"({"pattern":"src/*.cc","path":""})", "permit"},
      {"a folder that is no text", R"({"pattern":"src/*.cc","path":5})", "deny"},
  };
  Check(world, "Glob", kGlob);
}

TEST_CASE("search: more directories than the search limit count as containing a denied path") {
  struct Deny {
    std::string_view rule;
    Verdict want;
  };
  static constexpr Deny kRows[] = {
      {"many/*/y", Verdict::kDeny},
      {"many/19*/y", Verdict::kPermit},
      {"many/**/y", Verdict::kDeny},
      {"many/19*/x", Verdict::kDeny},
  };
  World world;
  const ManyFolders files(world.files);
  for (const Deny& row : kRows) {
    CAPTURE(row.rule);
    world.sources.sources.clear();
    world.User(R"("read":{"deny":[)" + JsonString(row.rule) + "]}");
    const Event event = world.EventOf("Grep", R"({"pattern":"x","path":"many"})");
    CHECK(world.Decide(event, files).verdict == row.want);
  }
}
