#include "tests/support/random_paths.h"

namespace ringfence {
namespace {

constexpr const char* kNames[] = {
    "a",        "b",         "c",         "A",         "x",
    "ab",       "k",         ".env",      ".git",      ".GIT",
    "hooks",    "Hooks",     "config",    "HEAD",      "objects",
    "refs",     ".mcp.json", ".vscode",   ".claude",   "settings.json",
    "commands", ".github",   "workflows", "worktrees", "commondir",
    "modules",  "[x]",       "a.b",       "a\"b",      "\xC3\xA9"};
constexpr const char* kPatterns[] = {"a/*",         "*/x",        "a?",         "**/[a-c]x",
                                     "**/b/**/c",   "[!a]*",      "**/\\[x\\]", "**/*.b",
                                     "a/**",        "**/.git/**", "src/**/k",   "**/[[:upper:]]",
                                     "**/\xC3\x89", "/srv/*/b",   "~/*.b",      "**/k",
                                     "b/[]x]",      "**/a\"*",    "**/config",  "*"};
constexpr const char* kFixed[] = {"a/b", "c",          "/srv", "/srv/a",         "~/a",  "l",
                                  "A",   ".git/hooks", "~",    "/private/tmp/t", "/tmp", "link/b"};

}  // namespace

std::string RandomPaths::Name() { return One(kNames); }

std::string RandomPaths::Text() {
  static constexpr const char* kBases[] = {
      "",   "",     "", "", "/home/dev/project/", "/home/dev/", "/srv/", "/tmp/", "/private/tmp/",
      "l/", "link/"};
  std::string text = One(kBases) + Name();
  for (unsigned n = Below(4); n > 0; --n) text += "/" + Name();
  return text;
}

nlohmann::json RandomPaths::SomePolicy() {
  nlohmann::json policy = OneIn(4) ? nlohmann::json::object() : Policy();
  nlohmann::json& write = policy["write"];
  if (write.is_null()) write = nlohmann::json::object();
  Extend(write, "deny", 1);
  if (OneIn(2)) Extend(write, "ask", 2);
  if (OneIn(2)) Extend(write, "allow", 3);
  return policy;
}

void RandomPaths::Extend(nlohmann::json& write, const std::string& list, unsigned odds) {
  for (unsigned n = Below(4); n > 0; --n) {
    if (list != "allow" && OneIn(5)) {
      write[list].push_back("@runs-later");
      continue;
    }
    std::string entry = OneIn(odds + 1) ? One(kFixed) : One(kPatterns);
    if (list == "allow" && entry.starts_with("**/")) entry = One(kFixed);
    write[list].push_back(entry);
  }
}

}  // namespace ringfence
