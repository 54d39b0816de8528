// Policy files on the real disk. Tests may not change /etc/ringfence on this machine, so they only
// depend on whether it exists.
#include "policy/load/sources.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/regular_file.h"
#include "base/unique_fd.h"
#include "tests/support/policy_disk.h"

using namespace ringfence;

TEST_CASE("sources: without any file only the built-in policy applies") {
  PolicyDisk disk;
  const Result<PolicySources> sources = disk.Read();
  REQUIRE(sources.has_value());
  CHECK(sources->built_in != nullptr);
  if (NoManagedPolicy()) CHECK(sources->sources.empty());
  CHECK(sources->notes.empty());
}

TEST_CASE("sources: the user's file is read and shown with a tilde") {
  PolicyDisk disk;
  disk.File(kUserPolicyFile, kReadAll);
  const Result<PolicySources> sources = disk.Read();
  REQUIRE(sources.has_value());
  const PolicySource& source = sources->sources.back();
  CHECK(source.layer == Layer::kUser);
  CHECK(source.trusted);
  CHECK(source.file->shown == "~/.config/ringfence/policy.json");
}

TEST_CASE("sources: a policy behind a dangling link does not count as absent") {
  PolicyDisk disk;
  disk.Link(kUserPolicyFile, "/gone/policy.json");
  CHECK(SourcesProblem(disk.Read()).find("a dangling symbolic link") != std::string::npos);
  PolicyDisk project;
  project.Link(kProjectPolicyFile, "../gone");
  CHECK(SourcesProblem(project.Read()).find("a dangling symbolic link") != std::string::npos);
}

TEST_CASE("sources: a directory of ringfence that is a dangling link is an error") {
  PolicyDisk disk;
  disk.Link("home/.config/ringfence", "/gone/ringfence");
  const Result<PolicySources> sources = disk.Read();
  REQUIRE_FALSE(sources.has_value());
  CHECK(sources.error().what == "is reached through a dangling symbolic link");
  CHECK(sources.error().hint.ends_with("ringfence, or remove the link"));
  PolicyDisk plain;  // a file in place of the directory holds no policy
  plain.File("home/.config/ringfence");
  CHECK(SourcesProblem(plain.Read()).empty());
  PolicyDisk file;
  file.File("home/project/x");
  file.Link("home/project/.ringfence", "x");
  CHECK(SourcesProblem(file.Read()).find("a dangling symbolic link") != std::string::npos);
  PolicyDisk below;
  below.File("home/project/x");
  below.Link("home/project/.ringfence", "x/below-a-file");
  CHECK(SourcesProblem(below.Read()).find("a dangling symbolic link") != std::string::npos);
}

TEST_CASE("sources: a missing policy is absent, even if links lead towards it") {
  PolicyDisk disk;
  disk.Directory("dotfiles/config");
  disk.Link("home/.config", "../dotfiles/config");
  disk.Link("home/.local", "../nowhere");
  CHECK(SourcesProblem(disk.Read()).empty());
  disk.Directory("dotfiles/ringfence");
  disk.Link("dotfiles/config/ringfence", "../ringfence");
  CHECK(SourcesProblem(disk.Read()).empty());
  disk.File("dotfiles/ringfence/policy.json", kReadAll);
  const Result<PolicySources> sources = disk.Read();
  REQUIRE(sources.has_value());
  CHECK(sources->sources.back().layer == Layer::kUser);
}

TEST_CASE("sources: session grants are found by the session's name, and must be valid") {
  constexpr const char* kGrants = "home/.local/state/ringfence/sessions/A1-b_2.json";
  PolicyDisk disk;
  const auto grants = [&disk](std::string_view session) {
    Result<PolicySources> sources = disk.Read();
    REQUIRE(sources.has_value());
    const Result<bool> added = AddSessionGrants(session, disk.places(), *sources);
    if (!added) return "! " + added.error().text();
    return std::string(*added ? sources->sources.back().file->shown : "none");
  };
  CHECK(grants("A1-b_2") == "none");
  disk.File(kGrants, kReadAll);
  CHECK(grants("A1-b_2") == "~/.local/state/ringfence/sessions/A1-b_2.json");
  for (const std::string& other : {std::string(), std::string("../x"), std::string("a/b"),
                                   std::string("{"), std::string("a.b"), std::string(129, 'a')}) {
    CAPTURE(other);
    CHECK(grants(other) == "none");
  }
  CHECK(grants("A1") == "none");
  disk.Mode(kGrants, 0666);
  CHECK(grants("A1-b_2").find("is world-writable") != std::string::npos);
  disk.File(kGrants, "{");
  disk.Mode(kGrants, 0600);
  CHECK(grants("A1-b_2").starts_with("! "));
  PolicyDisk folder;
  folder.Directory(kGrants);
  Result<PolicySources> sources = folder.Read();
  REQUIRE(sources.has_value());
  CHECK_FALSE(AddSessionGrants("A1-b_2", folder.places(), *sources).has_value());
  ::setenv("RINGFENCE_SANDBOX", "full", 1);  // which hides it
  const Result<bool> inside = AddSessionGrants("A1-b_2", folder.places(), *sources);
  ::unsetenv("RINGFENCE_SANDBOX");
  REQUIRE(inside.has_value());
  CHECK_FALSE(*inside);
  Places nowhere = folder.places();
  nowhere.homes.clear();
  const Result<bool> added = AddSessionGrants("A1-b_2", nowhere, *sources);
  REQUIRE(added.has_value());
  CHECK_FALSE(*added);
}

TEST_CASE("sources: --policy replaces the user's and the project's policy") {
  PolicyDisk disk;
  disk.File(kUserPolicyFile, "broken");
  disk.File(kProjectPolicyFile, "broken");
  disk.File("strict.json", kReadAll);
  const Result<PolicySources> sources = disk.Read(disk.At("strict.json"));
  REQUIRE(sources.has_value());
  CHECK(sources->sources.back().layer == Layer::kCommandLine);
  CHECK(SourcesProblem(disk.Read(disk.At("none.json"))).find("does not exist") !=
        std::string::npos);
  CHECK(SourcesProblem(disk.Read("strict.json")).find("is not an absolute path") !=
        std::string::npos);
}

TEST_CASE("sources: an unusable policy is an error with its place") {
  struct Row {
    std::string_view name;
    std::string text;
    std::string_view want;
  };
  const Row rows[] = {
      {"empty", "", "policy.json:1:1"},
      {"no JSON", "{", "policy.json:1:"},
      {"an unknown key", "{\"version\":1,\n\"raed\":{}}", "policy.json:2:1"},
      {"a byte order mark", "\xEF\xBB\xBF{\"version\":1}", "byte order mark"},
      {"trailing text", "{\"version\":1} x", "policy.json:1:15"},
      {"an empty allow list", R"({"version":1,"read":{"allow":[]}})", "is empty"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    PolicyDisk disk;
    disk.File(kUserPolicyFile, row.text);
    CHECK(SourcesProblem(disk.Read()).find(row.want) != std::string::npos);
  }
}

TEST_CASE("sources: a file that is not regular is not a policy") {
  PolicyDisk folder;
  folder.Directory(kUserPolicyFile);
  CHECK(SourcesProblem(folder.Read()).find("is not a regular file") != std::string::npos);
  PolicyDisk pipe;
  pipe.Directory("home/.config/ringfence");
  REQUIRE(::mkfifo(pipe.At(kUserPolicyFile).c_str(), 0600) == 0);
  CHECK(SourcesProblem(pipe.Read()).find("is not a regular file") != std::string::npos);
  PolicyDisk device;
  device.Link(kUserPolicyFile, "/dev/null");
  CHECK(SourcesProblem(device.Read()).find("is not a regular file") != std::string::npos);
  PolicyDisk loop;
  loop.Link(kUserPolicyFile, "policy.json");
  CHECK(SourcesProblem(loop.Read()).find("lead in a circle") != std::string::npos);
  const Result<FileBytes> endless = ReadRegularFile("/" + std::string(300, 'a'));
  REQUIRE_FALSE(endless.has_value());
  CHECK(endless.error().code == ENAMETOOLONG);
}

TEST_CASE("sources: a policy or trust store that is world-writable is refused") {
  PolicyDisk user;
  user.File(kUserPolicyFile, kReadAll);
  user.Mode(kUserPolicyFile, 0666);
  CHECK(SourcesProblem(user.Read()).find("is world-writable") != std::string::npos);
  user.Mode(kUserPolicyFile, 0644);
  CHECK(SourcesProblem(user.Read()).empty());
  PolicyDisk store;
  store.File(kProjectPolicyFile, kReadAll);
  store.Trust(kReadAll);
  store.Mode(kTrustFile, 0666);
  CHECK(SourcesProblem(store.Read()).find("is world-writable") != std::string::npos);
}

TEST_CASE("sources: a policy of another user is refused") {
  PolicyDisk disk;
  disk.File(kUserPolicyFile, kReadAll);
  if (::geteuid() != 0) {
    MESSAGE("skipped: only root can give a file away");
    return;
  }
  REQUIRE(::chown(disk.At(kUserPolicyFile).c_str(), 12345, 12345) == 0);
  CHECK(SourcesProblem(disk.Read()).find("belongs to another user") != std::string::npos);
  // As whom another user's files appear in a user namespace: user_namespaces(7).
  REQUIRE(::chown(disk.At(kUserPolicyFile).c_str(), 65534, 65534) == 0);
  CHECK(SourcesProblem(disk.Read()) == "");
}

TEST_CASE("sources: a policy of 8 MB is read, a longer one is an error") {
  PolicyDisk disk;
  disk.File(kUserPolicyFile,
            std::string((8u << 20) - std::string_view(kReadAll).size(), ' ') + kReadAll);
  CHECK(SourcesProblem(disk.Read()).empty());
  disk.File(kUserPolicyFile, std::string(8u << 20, ' ') + kReadAll);
  CHECK_FALSE(SourcesProblem(disk.Read()).empty());
}

TEST_CASE("sources: existing and possible places of policies are protected") {
  PolicyDisk disk;
  REQUIRE(disk.Read().has_value());
  const auto has = [&disk](const std::string& path) {
    return std::ranges::find(disk.places().policies, Path::Clean(path)) !=
           disk.places().policies.end();
  };
  CHECK(has(kManagedPolicy));
  CHECK(has(disk.At(kUserPolicyFile)));
  CHECK(has(disk.At(kProjectPolicyFile)));
  disk.File("strict.json", kReadAll);
  REQUIRE(disk.Read(disk.At("strict.json")).has_value());
  CHECK(has(disk.At("strict.json")));
  CHECK(has(disk.At(kUserPolicyFile)));
  CHECK(has(disk.At(kProjectPolicyFile)));
}

TEST_CASE("sources: reading bytes reports missing files and the owner") {
  const PolicyDisk disk;
  disk.File("a", "text");
  disk.Mode("a", 0640);
  const Result<FileBytes> bytes = ReadRegularFile(disk.At("a"));
  REQUIRE(bytes.has_value());
  CHECK(bytes->text == "text");
  CHECK(bytes->owner == ::geteuid());
  CHECK(bytes->mode == 0640);
  CHECK_FALSE(bytes->missing);
  CHECK(ReadRegularFile(disk.At("none"))->missing);
  CHECK(ReadRegularFile(disk.At("a/b"))->missing);
}

TEST_CASE("sources: a policy may be passed as a descriptor of an unnamed file") {
  PolicyDisk disk;
  const auto hand = [&](mode_t mode) {
    disk.File("policy", kReadAll);
    disk.Mode("policy", mode);
    UniqueFd file(::open(disk.At("policy").c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(::unlink(disk.At("policy").c_str()) == 0);
    return file;
  };
  const UniqueFd file = hand(0400);
  const Result<PolicySources> sources = disk.Read("/proc/self/fd/" + std::to_string(file.get()));
  REQUIRE(sources.has_value());
  CHECK(sources->sources.back().layer == Layer::kCommandLine);
  const UniqueFd open = hand(0666);
  CHECK_FALSE(disk.Read("/proc/self/fd/" + std::to_string(open.get())).has_value());
  CHECK_FALSE(disk.Read("/proc/self/fd/9999").has_value());
}

TEST_CASE("sources: the sessions of confined agents") {
  const std::string digits = "0123456789abcdef0123456789abcdef";
  CHECK(IsAgentSession("agent-" + digits));
  for (const std::string& other :
       {std::string("agent-"), std::string("agent-foo"), digits, "agent-" + digits + "0",
        "agent-" + digits.substr(1), "agent-" + digits.substr(1) + "A", "Agent-" + digits}) {
    CAPTURE(other);
    CHECK_FALSE(IsAgentSession(other));
  }
  CHECK(AgentLockPath("/home/dev", "agent-1") ==
        "/home/dev/.local/state/ringfence/sessions/agent-1.lock");
}
