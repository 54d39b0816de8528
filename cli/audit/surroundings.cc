#include "cli/audit/surroundings.h"

#include <algorithm>

#include "policy/load.h"

namespace ringfence {
namespace {

constexpr uint32_t kUser = 1000;  // owns the files in memory
constexpr const char* kProgram = "/opt/ringfence/bin/ringfence-hook";

}  // namespace

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
  Registration registration;
  registration.project_dir = fixture.root;
  registration.home = fixture.home;
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
  sources.built_in = LoadPolicy({BuiltInPolicyText(), "", "built-in policy", true}, mistakes);
  for (const FixturePolicy& policy : fixture.policies) {
    auto file = LoadPolicy({policy.text, "/policies/" + policy.shown, policy.shown, policy.trusted},
                           mistakes);
    if (file != nullptr) sources.sources.push_back({policy.layer, policy.trusted, std::move(file)});
  }
  if (mistakes.empty()) return sources;
  Error error = mistakes.front();
  error.where = fixture.place.file + ": " + error.where;
  return error;
}

}  // namespace ringfence
