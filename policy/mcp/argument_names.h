// Tells from a tool argument's name whether it is a path, a URL or a host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "policy/rules/word_list.h"

namespace ringfence {

// Returns the name in lower case, without "_", "-" and white space.
std::string NormalKey(std::string_view key);

enum class UsualName : uint8_t {
  kNone,
  kPath,
  kPaths,  // may contain objects as well
  kUrl,
  kPeer,  // a host if the value looks like one: "server", "address"; otherwise anything
};
// Returns the usual meaning of an unknown tool's argument with this name.
UsualName UsualNameOf(std::string_view key);
// The same for MCP tools, whose authors choose names freely: one matching word in the name is
// enough ("source_dir", "pathInProject", "file1", "api_host").
UsualName McpNameOf(std::string_view key);
// True for a name under which "a.md" and "chat.postMessage" are not hosts: "links", "endpoint".
bool NamesLink(std::string_view key);
// True for a name under which "me@host.example" is a mailbox: "address".
bool NamesMailbox(std::string_view key);
// True for the name of an object whose keys are property names, some of which are written as URLs.
bool NamesProperties(std::string_view key);
// True for the name of a repository to clone from: "repo_url", "remote".
bool NamesRepository(std::string_view key);
// True for the name of a file's text, which may be JSON: "file_text", "contents".
bool NamesContent(std::string_view key);
// True for the name of a directory that a container sees under another name: "volumes",
// "bind_mount".
bool NamesBinding(std::string_view key);
// True for the name of a tool's output: "savePath", "output", "dest_dir".
bool NamesOutput(std::string_view key);

// True if one of the words of a name that a server's author chose is in `words`: "file" and "name"
// are the words of "file_name", "fileName" and "FileName2".
bool HoldsWord(std::string_view name, const WordList& words);

}  // namespace ringfence
