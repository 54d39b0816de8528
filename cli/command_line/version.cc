#include "cli/command_line/version.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/command_line/build_facts.h"

namespace ringfence {
namespace {

constexpr const char* kAllPrograms[] = {"ringfence-hook", "ringfence", "ringfence-cli",
                                        "ringfence-proxy", "ringfence-stage"};
constexpr const char* kArchitecture =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#else
    "";
#endif

// The C library that is linked into the program, or the system's.
OrderedJson LibcOf(const std::string& program, const OrderedJson& libraries) {
  for (const OrderedJson& library : libraries) {
    const auto& name = library["name"];
    if (name != "musl" && name != "glibc") continue;
    for (const OrderedJson& holder : library["programs"]) {
      if (holder != program) continue;
      return {{"name", name}, {"version", library["version"]}, {"linked", "static"}};
    }
  }
  return {{"name", "glibc"}, {"linked", "shared"}};
}

}  // namespace

std::string VersionJson() {
  const auto libraries = OrderedJson::parse(kLibraries);
  OrderedJson json{{"name", "ringfence"}, {"version", RINGFENCE_VERSION}};
  json["commit"] = kCommit.empty() ? OrderedJson(nullptr) : OrderedJson(kCommit);
  json["modified"] = kIsModified;
  json["architecture"] = kArchitecture;
#ifdef __linux__
  for (const char* program : kAllPrograms) json["libc"][program] = LibcOf(program, libraries);
#endif
  json["libraries"] = libraries;
  return json.dump(2);
}

}  // namespace ringfence
