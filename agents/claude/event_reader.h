// Turns the client's JSON into an Event; input_reader.h reads the arguments of the tool (see
// docs/hook-protocol.md). Strict about everything that a decision depends on; file contents and
// other text that cannot matter are checked as JSON and skipped, so memory does not grow with them.
#pragma once

#include <string_view>
#include <vector>

#include "base/json_scanner.h"
#include "base/result.h"
#include "policy/event.h"
#include "policy/files/cached_files.h"
#include "policy/load/policy_file.h"
#include "policy/places.h"

namespace ringfence {

inline constexpr size_t kMaxPathText = 4096;  // bytes, PATH_MAX: longer text cannot be a path

// Arguments to keep in addition to those whose names matter (MayMatter): the JSON pointers of a
// policy's "mcp" entries.
struct EventFilter {
  std::vector<std::string_view> pointers;
  bool keeps_input = false;  // for Event::raw_input: a command may have to be wrapped
  // If set, an MCP tool's strings that name nothing in these places are dropped.
  const CachedFiles* files = nullptr;
  const Places* places = nullptr;
};

// Adds what the file or one of its profiles needs.
void AddNeeds(const PolicyFile& file, EventFilter& filter);

// Reads the whole document. On failure the rest of the source is left unread.
Result<Event> ReadEvent(ByteSource& source, const EventFilter& filter);

}  // namespace ringfence
