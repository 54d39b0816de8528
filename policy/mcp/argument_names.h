// Tells by its name what an argument of a tool is: a path, a URL, a host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

// The name without case, "_", "-" and white space.
std::string NormalKey(std::string_view key);

enum class UsualName : uint8_t {
  kNone,
  kPath,
  kPaths,  // may hold objects as well
  kUrl,
  kPeer,  // a host if the value looks like one: "server", "address"; otherwise anything
};
// What an argument of an unknown tool usually is, by its name.
UsualName UsualNameOf(std::string_view key);
// The same for MCP tools, whose authors choose freely: one of the words in the name is enough
// ("source_dir", "pathInProject", "file1", "api_host").
UsualName McpNameOf(std::string_view key);
// A name under which "a.md" and "chat.postMessage" are no hosts: "links", "endpoint".
bool NamesLink(std::string_view key);
// A name under which "me@host.example" is somebody's mailbox: "address".
bool NamesMailbox(std::string_view key);
// A name for an object whose keys are the names of properties, some of which are written as URLs.
bool NamesProperties(std::string_view key);
// A name for what is cloned from elsewhere: "repo_url", "remote".
bool NamesRepository(std::string_view key);
// A name for the text of a file, which may be JSON: "file_text", "contents".
bool NamesContent(std::string_view key);
// A name for a directory that a container sees under another name: "volumes", "bind_mount".
bool NamesBinding(std::string_view key);
// A name for what a tool makes: "savePath", "output", "dest_dir".
bool NamesOutput(std::string_view key);

}  // namespace ringfence
