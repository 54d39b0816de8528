#pragma once
// An audit log in a temporary directory, for the tests of its lines and of its writers.

#include <doctest/doctest.h>
#include <time.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "audit_log/append.h"
#include "base/sha256.h"
#include "tests/support/corpora.h"
#include "tests/support/temporary_tree.h"

namespace ringfence {

inline constexpr int64_t kTime = 1'792'000'000'123'456'789;  // 2026-10-14T16:26:40.123Z
inline constexpr uint64_t kNoRotation = 64u << 20;
inline const std::string kNothing(64, '0');

// Tests send nothing to this machine's own log.
inline AuditRules Quiet(uint64_t rotate = kNoRotation) {
  AuditRules rules;
  rules.rotate = rotate;
  rules.system_log = SystemLog::kOff;
  return rules;
}

class AuditLogFile : public TemporaryTree {
 public:
  Path path() const { return Path::Clean(At("state/log.jsonl")); }
  Status Append(const std::string& text, uint64_t rotate = kNoRotation,
                int64_t time = kTime) const {
    return AppendToAudit(path(), Quiet(rotate), R"({"n":")" + text + "\"", time);
  }
  std::string Text() const { return ReadWholeFile(path().text()); }

  // Every line of the log and of its rotated files.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const auto& entry : std::filesystem::directory_iterator(At("state"))) {
      if (entry.path().filename().string().ends_with(".new")) continue;
      AddLines(ReadWholeFile(entry.path().string()), lines);
    }
    return lines;
  }
  size_t Files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(At("state")), {}));
  }

  static void AddLines(const std::string& text, std::vector<std::string>& lines) {
    size_t at = 0;
    while (at < text.size()) {
      const size_t end = text.find('\n', at);
      REQUIRE(end != std::string::npos);
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
};

// Counts the lines that the digests link from the beginning, each once.
inline size_t ChainLength(const std::vector<std::string>& lines) {
  std::map<std::string, const std::string*> next;
  for (const std::string& line : lines) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object()) CHECK(next.emplace(json.at("chain"), &line).second);
  }
  size_t length = 0;
  for (auto at = next.find(kNothing); at != next.end();) {
    ++length;
    at = next.find(Sha256Hex(*at->second));
  }
  return length;
}

inline int64_t Now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

}  // namespace ringfence
