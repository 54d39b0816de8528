#include "cli/audit/surroundings.h"

#include <algorithm>
#include <charconv>

#include "agents/claude/agent.h"
#include "policy/load/load.h"

namespace ringfence {
namespace {

constexpr uint32_t kUser = 1000;  // owns the files in memory
constexpr const char* kProgram = "/opt/ringfence/bin/ringfence-hook";

std::optional<MemoryNode> NodeOfKind(std::string_view kind) {
  if (kind == "file") return File();
  if (kind == "folder") return Directory();
  if (kind == "unreadable folder") return UnreadableDirectory();
  if (kind == "device") return Special(FileKind::kCharacterDevice);
  if (kind.starts_with("-> ") && kind.size() > 3) return LinkTo(std::string(kind.substr(3)));
  return {};
}

// Resolves a relative key against the project; nullopt if it is not a valid path.
std::optional<Path> PathOf(std::string_view key, const Fixture& fixture) {
  if (key.empty() || key.starts_with('/')) return Path::Parse(key);
  if (key == "~" || key.starts_with("~/")) {
    return Path::Parse(fixture.home + std::string(key.substr(1)));
  }
  return Path::Parse(fixture.root + "/" + std::string(key));
}

void ReadFacts(JsonDocument& document, ObjectReader& object, FileFacts& facts) {
  const auto number = [&](std::string_view key, auto& fact) {
    const auto value = object.Number(key);
    if (value && *value >= 0 && *value < 1e9) {
      fact = static_cast<std::remove_reference_t<decltype(fact)>>(*value);
    } else if (value) {
      document.Wrong(*object.Any(key), "must be a number from 0 to 999999999");
    }
  };
  number("links", facts.links);
  number("inode", facts.inode);
  number("owner", facts.owner);
  if (const auto mode = object.String("mode")) {
    const char* end = mode->data() + mode->size();
    const auto read = std::from_chars(mode->data(), end, facts.mode, 8);
    const bool is_mode = !mode->empty() && read.ptr == end && facts.mode <= 07777;
    if (!is_mode) document.Wrong(*object.Any("mode"), "must be a mode such as \"0644\"");
  }
  object.Finish();
}

std::optional<MemoryNode> ReadNode(JsonDocument& document, const JsonNode& node) {
  constexpr std::string_view kHint =
      "\"file\", \"folder\", \"-> TARGET\", \"unreadable folder\", \"device\"";
  std::optional<ObjectReader> object;
  std::string_view kind = node.content();
  if (node.kind == JsonTree::Kind::kObject) {
    object.emplace(document, node);
    kind = object->String("kind").value_or("");
  } else if (!document.IsString(node)) {
    return {};
  }
  std::optional<MemoryNode> file = NodeOfKind(kind);
  if (!file) {
    document.Wrong(node, "is not a kind of file", kHint);
    return {};
  }
  if (!object) return file;
  file->text = object->String("text").value_or("");
  ReadFacts(document, *object, file->facts);
  return file;
}

}  // namespace

void ReadFiles(JsonDocument& document, const JsonNode& files, Fixture& fixture) {
  const JsonTree& tree = document.tree();
  fixture.files.emplace();
  for (const JsonNode& node : tree.ChildrenOf(files)) {
    const std::optional<Path> path = PathOf(tree.KeyOf(node), fixture);
    if (!path) {
      document.Wrong(node, "must name a file, by a path without \"..\"",
                     "below the project, or after \"/\" or \"~/\"");
    }
    std::optional<MemoryNode> file = ReadNode(document, node);
    if (path && file) fixture.files->push_back({path->text(), std::move(*file)});
  }
}

void PutFiles(const Fixture& fixture, MemoryFiles& files) {
  files.Put("/tmp", Directory());
  if (fixture.files) {
    for (const MemoryFiles::Entry& entry : *fixture.files) files.Put(entry.path, entry.node);
  }
  for (const std::string& folder : {fixture.root, fixture.home, fixture.other_home}) {
    const std::optional<Path> path = Path::Parse(folder);
    if (!path) continue;
    const Result<FileFacts> facts = files.Look(*path);
    if (facts && facts->kind == FileKind::kMissing) files.Put(folder, Directory());
  }
}

Result<Places> PlacesOf(const Fixture& fixture, const FileView& files,
                        const PolicySources& sources) {
  Registration registration{.agent = &ClaudeCode()};
  registration.project_dir = fixture.root;
  if (!fixture.no_home) registration.home = fixture.home;
  registration.home_variable = fixture.other_home;
  registration.program = kProgram;
  registration.program_real = kProgram;
  registration.user = kUser;
  Result<Places> places = FindPlaces(registration, files);
  if (!places) return places;
  places->macos_names = fixture.macos;
  const auto is_git = [](const PolicySource& source) {
    return source.trusted && source.file->root_is_git;
  };
  if (std::ranges::any_of(sources.sources, is_git)) WidenToRepository(*places, files);
  places->policies = UsualPolicyPlaces(*places);
  return places;
}

Result<PolicySources> SourcesOf(const Fixture& fixture) {
  std::vector<Error> mistakes;
  PolicySources sources;
  sources.built_in = LoadPolicy(BuiltInPolicy(ClaudeCode()), mistakes);
  for (const FixturePolicy& policy : fixture.policies) {
    auto file = LoadPolicy({policy.text, "/policies/" + policy.shown, policy.shown, policy.trusted,
                            &ClaudeCode(), policy.layer == Layer::kProject},
                           mistakes);
    if (file != nullptr) sources.sources.push_back({policy.layer, policy.trusted, std::move(file)});
  }
  if (mistakes.empty()) return sources;
  Error error = mistakes.front();
  error.where = fixture.place.file + ": " + error.where;
  return error;
}

}  // namespace ringfence
