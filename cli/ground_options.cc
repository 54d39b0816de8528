#include "cli/ground_options.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace ringfence {
namespace {

std::string Absolute(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  return failed ? path : absolute.lexically_normal().string();
}

std::string WithoutFinalSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

void AddGroundOptions(CLI::App& command, GroundOptions& options) {
  AddCommonOptions(command, options.common);
  command.add_option("--root", options.root, "The project (default: the current directory)")
      ->type_name("DIR");
  command.add_option("--policy", options.policy, "This policy instead of the user's and project's")
      ->type_name("FILE");
  command.add_option("--profile", options.profile, "The policy's profile of that name")
      ->type_name("NAME");
}

Result<Ground> FindGround(const GroundOptions& options, const FileView& files) {
  const char* home = std::getenv("HOME");
  Registration registration;
  // The current folder stands for what the client would say, so the hook may refuse it.
  std::string& root = options.root.empty() ? registration.project_dir : registration.root;
  root = WithoutFinalSlash(Absolute(options.root.empty() ? "." : options.root));
  registration.home = options.common.home.empty() && home != nullptr ? home : options.common.home;
  const char* config_dir = std::getenv("CLAUDE_CONFIG_DIR");
  if (config_dir != nullptr) registration.config_dir = config_dir;
  if (!options.policy.empty()) registration.policy = Absolute(options.policy);
  registration.profile = options.profile;
  registration.user = ::geteuid();
  return FindGround(registration, files);
}

OrderedJson PlaceJson(const RulePlace& place) {
  OrderedJson json;
  json["file"] = place.file;
  if (place.line != 0) json["line"] = place.line;
  json["pointer"] = place.pointer;
  return json;
}

}  // namespace ringfence
