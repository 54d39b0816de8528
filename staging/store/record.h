// StageRecord: what is known about a stage. It is the file "record" in the stage's directory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "base/result.h"

namespace ringfence {

enum class StageState : uint8_t {
  kRunning,  // the command runs, or its launcher was killed
  kEnded,    // the command has ended
};

enum class StageMechanism : uint8_t {
  kOverlay,  // the kernel keeps the changes apart (sandbox/linux/overlay.h)
  kCopy,     // the command worked on a copy of the project
};

struct StageRecord {
  std::string id;
  Path project;
  std::vector<std::string> command;
  std::string profile;
  bool is_agent = false;
  StageMechanism mechanism = StageMechanism::kOverlay;
  bool is_elsewhere = false;  // the command works in the copy's own path
  StageState state = StageState::kRunning;
  // Nanoseconds since 1970. A file of the project whose ctime (stat(2)) is earlier than `watermark`
  // has not changed since the command started.
  int64_t started = 0;
  int64_t watermark = 0;
  int64_t clock_offset = 0;  // CLOCK_REALTIME - TimeSinceBoot() at the start
  std::string boot;          // identifies the start of the machine (random(4), boot_id)
  // Holds the changes while they are in memory: a descriptor of a process. 0: they are in a
  // directory.
  int buffer_process = 0;
  int buffer_fd = 0;
  int status = 0;           // the command's exit status, as a shell reports it
  bool is_on_disk = false;  // the changes survive a power failure

  bool operator==(const StageRecord&) const = default;
};

std::string_view StateName(StageState state);              // "running", "ended"
std::string_view MechanismName(StageMechanism mechanism);  // "overlay", "copy"

// One "NAME=VALUE" per field, each with a NUL after it: a project's path can contain any other
// byte.
std::string RenderRecord(const StageRecord& record);
// `name` is the file's name in errors.
Result<StageRecord> ParseRecord(std::string_view text, const std::string& name);

}  // namespace ringfence
