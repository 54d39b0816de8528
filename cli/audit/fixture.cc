#include "cli/audit/fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>

#include "agents/claude/setup/call_event.h"
#include "base/read_number.h"
#include "base/regular_file.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/audit/recorded.h"
#include "cli/audit/surroundings.h"
#include "policy/load/object_reader.h"

namespace ringfence {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFixtureFile = size_t{1} << 30;

bool IsFixtureName(const fs::path& path) {
  const std::string extension = LowerAscii(path.extension().string());
  return extension == ".json" || extension == ".jsonl" || extension == ".ndjson";
}

Error Unreadable(const std::string& path, const std::string& what) {
  return UsageError(Quote(path), what, "name fixtures, or a directory of them");
}

// Returns the fixture files below a directory, sorted.
std::vector<std::string> FilesBelow(const std::string& folder, std::vector<Error>& mistakes) {
  std::vector<std::string> files;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    std::error_code ignored;
    const bool is_file = entry->symlink_status(ignored).type() == fs::file_type::regular;
    if (is_file && IsFixtureName(entry->path())) files.push_back(entry->path().string());
  }
  if (failure) mistakes.push_back(Unreadable(folder, "cannot be searched: " + failure.message()));
  std::ranges::sort(files);
  return files;
}

Result<std::string> ReadFixtureFile(const std::string& path) {
  const UniqueFd fd(::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) {
    const int code = errno;
    const bool is_missing = code == ENOENT || code == ENOTDIR;
    return Unreadable(path, is_missing ? "does not exist" : "cannot be read: " + ErrnoName(code));
  }
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return SystemError("fstat(" + path + ")");
  if (!S_ISREG(facts.st_mode)) return Unreadable(path, "is not a regular file");
  return ReadAll(fd.get(), kMaxFixtureFile, path, static_cast<size_t>(facts.st_size));
}

void AddFixtures(FixtureFile from, FixtureFile& to) {
  for (Fixture& fixture : from.fixtures) to.fixtures.push_back(std::move(fixture));
  for (std::string& skipped : from.skipped) to.skipped.push_back(std::move(skipped));
  for (FixturePlace& place : from.foreign) to.foreign.push_back(std::move(place));
}

// Reports fixtures with equal names, because a baseline identifies them by name.
void FindTwins(const std::vector<Fixture>& fixtures, std::vector<Error>& mistakes) {
  std::map<std::string_view, const Fixture*> known;
  for (const Fixture& fixture : fixtures) {
    const auto [first, is_new] = known.emplace(fixture.name, &fixture);
    if (is_new) continue;
    const auto place = [](const Fixture& f) {
      return f.place.file + ":" + std::to_string(f.place.line);
    };
    mistakes.push_back(ConfigError(
        place(fixture), "has the name " + Quote(fixture.name) + " of " + place(*first->second),
        "give it a \"name\" of its own"));
  }
}

using FixtureReadFunction =
    std::function<FixtureFile(std::string text, const std::string& path, bool is_named)>;

FixtureFile ReadEach(const std::vector<std::string>& paths, const FixtureReadFunction& read,
                     std::vector<Error>& mistakes) {
  FixtureFile all;
  for (const std::string& path : paths) {
    std::error_code failure;
    const bool is_folder = fs::is_directory(path, failure);
    const std::vector<std::string> files =
        is_folder ? FilesBelow(path, mistakes) : std::vector<std::string>{path};
    for (const std::string& file : files) {
      Result<std::string> text = ReadFixtureFile(file);
      if (!text) {
        mistakes.push_back(text.error());
        continue;
      }
      FixtureFile one = read(std::move(*text), file, !is_folder);
      const bool is_ours = !one.fixtures.empty() || one.skipped.size() != one.foreign.size();
      if (!is_folder || is_ours) all.files.push_back(file);
      AddFixtures(std::move(one), all);
    }
  }
  return all;
}

std::string Raw(const JsonTree& tree, const JsonNode& node) {
  return tree.text().substr(node.begin, node.end - node.begin);
}

class FixtureReader {
 public:
  FixtureReader(const JsonTree& tree, const std::string& path, std::vector<Error>& mistakes)
      : tree_(tree), path_(path), document_(tree, mistakes) {}

  Fixture Read() {
    const JsonNode& root = tree_.root();
    ObjectReader object(document_, root);
    fixture_.name = object.String("name").value_or("");
    fixture_.why = object.String("why").value_or("");
    fixture_.time = object.String("time").value_or("");
    ReadPlaces(object);
    ReadPolicies(object);
    if (const auto profile = object.String("profile")) fixture_.profile = *profile;
    if (const JsonNode* files = object.Object("files")) ReadFiles(document_, *files, fixture_);
    ReadSubject(object);
    if (const JsonNode* expect = object.Object("expect")) ReadExpected(*expect);
    object.Finish();
    return std::move(fixture_);
  }

 private:
  void ReadSubject(ObjectReader& object) {
    const auto connect = object.String("connect");
    const JsonNode* event = object.Object("event");
    if (object.Any("connect") != nullptr && object.Any("event") != nullptr) {
      document_.Wrong(*object.Any("connect"), "is beside an \"event\"", "write one of the two");
    } else if (connect) {
      ReadConnection(*object.Any("connect"), *connect);
    } else if (event != nullptr) {
      ReadEvent(*event);
    } else if (object.Any("connect") == nullptr && object.Any("event") == nullptr) {
      document_.Wrong(tree_.root(), "has no \"event\"",
                      "the call: {\"tool_name\": ..., \"tool_input\": ...}, or a connection: "
                      "\"connect\": \"HOST:PORT\"");
    }
  }

  void ReadConnection(const JsonNode& node, std::string_view text) {
    const size_t colon = std::min(text.rfind(':'), text.size());
    FixtureConnection& connection = fixture_.connection.emplace();
    connection.host = text.substr(0, colon);
    const bool is_number =
        colon < text.size() && ReadNumber(text.substr(colon + 1), connection.port);
    if (connection.host.empty() || !is_number || connection.port == 0) {
      document_.Wrong(node, "must be a host and a port", "\"example.org:443\"");
    }
    fixture_.event = "{\"connect\":" + JsonString(text) + "}";
  }

  void ReadEvent(const JsonNode& event) {
    const JsonNode* name = EventNameOf(tree_, event);
    if (name != nullptr && !IsCallEvent(name->content())) {
      document_.Wrong(*name, Quote(name->content()) + " is not an event that is decided",
                      "\"PreToolUse\", which may be left out, or \"PermissionRequest\"");
    }
    fixture_.event = CompletedEvent(tree_, event);
    fixture_.has_cwd = tree_.Find(event, "cwd") != nullptr;
  }

  std::string AbsolutePath(ObjectReader& object, std::string_view key, std::string otherwise) {
    const auto text = object.String(key);
    if (!text) return otherwise;
    if (Path::Parse(*text)) return std::string(*text);
    document_.Wrong(*object.Any(key), "must be an absolute path without \"..\"");
    return otherwise;
  }

  void ReadPlaces(ObjectReader& object) {
    fixture_.root = AbsolutePath(object, "root", fixture_.root);
    fixture_.home = AbsolutePath(object, "home", fixture_.home);
    fixture_.other_home = AbsolutePath(object, "other_home", "");
    fixture_.no_home = object.Bool("no_home").value_or(false);
    fixture_.macos = object.Bool("macos").value_or(false);
  }

  void ReadPolicies(ObjectReader& object) {
    ReadPolicy(object, "managed", {Layer::kManaged, true, "", "managed.json"});
    ReadPolicy(object, "policy", {Layer::kUser, true, "", "policy.json"});
    ReadPolicy(object, "project", {Layer::kProject, true, "", "project.json"});
    ReadPolicy(object, "untrusted_project", {Layer::kProject, false, "", "project.json"});
  }

  // Reads an inline policy, or one in a file whose name is relative to the fixture's directory.
  void ReadPolicy(ObjectReader& object, std::string_view key, FixturePolicy policy) {
    const JsonNode* node = object.Any(key);
    if (node == nullptr) return;
    if (node->kind == JsonKind::kObject) {
      policy.text = Raw(tree_, *node);
    } else if (!document_.IsString(*node)) {
      return;
    } else {
      policy.shown = node->content();
      const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
      Result<FileBytes> bytes = ReadRegularFile((folder / node->content()).string());
      if (!bytes || bytes->missing) {
        return document_.Wrong(*node,
                               bytes ? "names a file that does not exist" : bytes.error().text());
      }
      policy.text = std::move(bytes->text);
    }
    fixture_.policies.push_back(std::move(policy));
  }

  void ReadExpected(const JsonNode& node) {
    ObjectReader object(document_, node);
    using enum LoggedVerdict;
    constexpr ObjectReader::Choice<LoggedVerdict> kDecisions[] = {
        {"permit", kPermit}, {"ask", kAsk}, {"deny", kDeny}, {"error", kError}};
    constexpr ObjectReader::Choice<bool> kSays[] = {{"allow", true}, {"nothing", false}};
    fixture_.expected.decision = object.OneOf("decision", kDecisions);
    fixture_.expected.rule = object.String("rule").value_or("");
    fixture_.expected.reason = object.String("reason").value_or("");
    fixture_.expected.says_allow = object.OneOf("says", kSays);
    if (object.Any("decision") == nullptr) {
      document_.Wrong(node, "has no \"decision\"", "\"permit\", \"ask\", \"deny\" or \"error\"");
    }
    object.Finish();
  }

  const JsonTree& tree_;
  const std::string& path_;
  JsonDocument document_;
  Fixture fixture_;
};

// Reads one JSON object: a whole file, or one line of it.
class FixtureFileReader {
 public:
  FixtureFileReader(const std::string& path, bool is_named, FixtureFile& file,
                    std::vector<Error>& mistakes)
      : path_(path), is_named_(is_named), file_(file), mistakes_(mistakes) {}

  void Read(std::string text, const std::string& name, FixturePlace place) {
    const size_t before = mistakes_.size();
    const Result<JsonTree> tree = JsonTree::Parse(std::move(text), place.file, false, place.line);
    if (!tree) mistakes_.push_back(tree.error());
    std::optional<Fixture> fixture;
    if (tree) fixture = ReadObject(*tree, name, place);
    if (!fixture || mistakes_.size() != before) return;
    if (fixture->name.empty()) fixture->name = name;
    fixture->place = std::move(place);
    file_.fixtures.push_back(std::move(*fixture));
  }

 private:
  std::optional<Fixture> ReadObject(const JsonTree& tree, const std::string& name,
                                    const FixturePlace& place) {
    const JsonNode& root = tree.root();
    const auto has = [&](std::string_view key) { return tree.Find(root, key) != nullptr; };
    std::optional<AuditEntry> entry = ReadAuditEntry(tree.text());
    if (entry && entry->verdict) {
      std::optional<Fixture> fixture = FixtureOfEntry(std::move(*entry));
      if (!fixture) file_.skipped.push_back(name + ": the log does not have the call's arguments");
      return fixture;
    }
    const JsonNode* call = tree.Find(root, "event");  // some events have a string of that name
    const bool is_call =
        call != nullptr && (call->kind == JsonKind::kObject || EventNameOf(tree, root) == nullptr);
    if (has("expect") || is_call || has("connect")) {
      return FixtureReader(tree, path_, mistakes_).Read();
    }
    if (const JsonNode* event = EventNameOf(tree, root)) return Captured(tree, *event, name);
    // Reports a misspelt fixture; policies, packages and the like have a "version".
    const bool is_fixture = has("name") && !has("version");
    if (!is_named_ && !is_fixture) {
      file_.skipped.push_back(name + ": neither a fixture nor an event");
      file_.foreign.push_back(place);
      return {};
    }
    mistakes_.push_back({Error::Kind::kInvalidInput, tree.PlaceOf(root.begin),
                         "is neither a fixture nor an event",
                         "a fixture has \"event\" or \"connect\", and \"expect\"; an event "
                         "\"hook_event_name\""});
    return {};
  }

  std::optional<Fixture> Captured(const JsonTree& tree, const JsonNode& event,
                                  const std::string& name) {
    const std::string_view kind = event.content();
    if (!IsCallEvent(kind)) {
      file_.skipped.push_back(name + ": " + Printable(kind) + " decides nothing");
      return {};
    }
    Fixture fixture;
    fixture.event = Raw(tree, tree.root());
    fixture.has_cwd = tree.Find(tree.root(), "cwd") != nullptr;
    return fixture;
  }

  const std::string& path_;
  bool is_named_;
  FixtureFile& file_;
  std::vector<Error>& mistakes_;
};

}  // namespace

FixtureFile ReadFixtureFiles(const std::vector<std::string>& paths, std::vector<Error>& mistakes) {
  const FixtureReadFunction read = [&mistakes](std::string text, const std::string& path,
                                               bool is_named) {
    return ReadFixtures(std::move(text), path, is_named, mistakes);
  };
  FixtureFile all = ReadEach(paths, read, mistakes);
  FindTwins(all.fixtures, mistakes);
  return all;
}

FixtureFile ReadLogFiles(const std::vector<std::string>& paths, std::vector<Error>& mistakes) {
  const FixtureReadFunction read = [](const std::string& text, const std::string& path, bool) {
    return ReadLog(text, path);
  };
  return ReadEach(paths, read, mistakes);
}

std::vector<NumberedLine> LinesOf(std::string_view text) {
  std::vector<NumberedLine> lines;
  std::string_view rest = WithoutByteOrderMark(text);
  for (uint32_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = TakeUntil(rest, '\n');
    if (!IsBlankLine(line)) lines.push_back({line, number});
  }
  return lines;
}

FixtureFile ReadFixtures(std::string text, const std::string& path, bool is_named,
                         std::vector<Error>& mistakes) {
  FixtureFile file;
  FixtureFileReader reader(path, is_named, file, mistakes);
  const std::string lower = LowerAscii(path);
  if (!lower.ends_with(".jsonl") && !lower.ends_with(".ndjson")) {
    const std::string stem = lower.ends_with(".json") ? path.substr(0, path.size() - 5) : path;
    reader.Read(std::move(text), stem, {path, 1});
    return file;
  }
  for (const NumberedLine& line : LinesOf(text)) {
    reader.Read(std::string(line.text), path + ":" + std::to_string(line.number),
                {path, line.number});
  }
  return file;
}

}  // namespace ringfence
