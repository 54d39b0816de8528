// Extended attributes that belong to a file or directory: those of users ("user.*") and access
// control lists. Attributes that only an overlay's upper layer has are not among them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "files/entry.h"

namespace ringfence {

// Names and values, sorted by name.
using AttributeValues = std::vector<std::pair<std::string, std::string>>;

// Sets Entry::attributes of a file or directory. Attributes that cannot be read are left out.
void AddAttributes(int folder, const std::string& name, Entry& entry);

// A digest of them all: equal for equal attributes.
std::string AttributesDigest(const Entry& entry);

// The names of those that only one of the two has, or that differ.
std::vector<std::string> DifferentAttributes(const Entry& one, const Entry& other);

// Gives `to` the attributes of `from`, and no others. Attributes that the file system of `to` does
// not support are lost. With `keeps_marks`, those of an overlay's upper layer are copied, too.
void CopyAttributes(int from, int to, bool keeps_marks);

// Reads the attributes of an open file or directory, and replaces them. Fails beyond 1 MiB.
Result<AttributeValues> ReadAttributes(int fd);
Status ReplaceAttributes(int fd, const AttributeValues& values);

}  // namespace ringfence
