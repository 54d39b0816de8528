#include "cli/layout/kdl.h"

#include "base/json_tree.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/layout/kdl_scanner.h"

namespace ringfence {
namespace {

constexpr size_t kMostText = 1u << 20;
constexpr int kMostDepth = 64;

class KdlReader {
 public:
  explicit KdlReader(std::string_view text) : scanner_(text) {}

  bool ReadNodes(std::vector<KdlNode>& nodes, int depth) {
    for (;;) {
      scanner_.SkipLineSpace();
      if (scanner_.has_failed()) return false;
      if (scanner_.is_at_end() || scanner_.is_at("}")) return true;
      const bool is_dead = scanner_.Take("/-");
      if (is_dead) scanner_.SkipNodeSpace();
      KdlNode node;
      if (!ReadNode(node, depth)) return false;
      if (!is_dead) nodes.push_back(std::move(node));
    }
  }

  bool ReadDocument(std::vector<KdlNode>& nodes) {
    if (!ReadNodes(nodes, 0)) return false;
    return scanner_.is_at_end() ||
           scanner_.Fail(scanner_.offset(), "\"}\" without a matching \"{\"");
  }

  const KdlScanner& scanner() const { return scanner_; }

 private:
  bool ReadNode(KdlNode& node, int depth) {
    node.begin = scanner_.offset();
    scanner_.TakeType();
    if (!scanner_.TakeName(node.name)) {
      return scanner_.Fail(scanner_.offset(), "a node cannot begin like this",
                           "a node begins with its name: a word, or a string");
    }
    node.name_end = node.entries_end = scanner_.offset();
    bool goes_on = true;
    while (goes_on) {
      if (!ReadPart(node, depth, goes_on)) return false;
    }
    scanner_.SkipNodeSpace();
    if (scanner_.TakeTerminator()) return true;
    return scanner_.Fail(
        scanner_.offset(), "expected the end of the node, or a value",
        "end it with a line feed or \";\", also in front of a \"}\"; values have white space "
        "between them");
  }

  // Reads one entry, or the block of children, which ends the node.
  bool ReadPart(KdlNode& node, int depth, bool& goes_on) {
    const bool is_apart = scanner_.SkipNodeSpace();
    const bool is_dead = scanner_.Take("/-");
    if (is_dead) scanner_.SkipNodeSpace();
    if (scanner_.has_failed()) return false;
    if (scanner_.is_at("{")) {
      goes_on = false;
      KdlNode other;
      (is_dead ? node.has_dead_block : node.has_block) = true;
      return ReadBlock(is_dead ? other : node, depth);
    }
    KdlEntry entry;
    if (!is_apart || !ReadEntry(entry)) {
      goes_on = false;
      return !scanner_.has_failed() &&
             (!is_dead ||
              scanner_.Fail(scanner_.offset(), "\"/-\" without anything to comment out"));
    }
    node.entries_end = scanner_.offset();
    if (!is_dead) node.entries.push_back(std::move(entry));
    return true;
  }

  bool ReadEntry(KdlEntry& entry) {
    std::string name;
    const size_t begin = scanner_.offset();
    const bool is_property = scanner_.TakePropertyName(name);
    if (is_property) entry.name = std::move(name);
    const bool has_type = scanner_.TakeType();
    if (scanner_.TakeValue(entry.value)) return true;
    if (is_property || has_type) scanner_.Fail(begin, "missing value");
    return false;
  }

  bool ReadBlock(KdlNode& node, int depth) {
    const size_t begin = scanner_.offset();
    if (depth == kMostDepth) return scanner_.Fail(begin, "too many nested blocks");
    scanner_.Take("{");
    node.block_begin = scanner_.offset();
    if (!ReadNodes(node.children, depth + 1)) return false;
    node.block_end = scanner_.offset();
    return scanner_.Take("}") || scanner_.Fail(begin, "\"{\" without a matching \"}\"");
  }

  KdlScanner scanner_;
};

}  // namespace

Result<std::vector<KdlNode>> ReadKdl(std::string_view text, std::string_view name) {
  const auto wrong = [&](size_t offset, std::string what) {
    return ConfigError(PlaceText(name, text, offset), std::move(what));
  };
  if (text.size() > kMostText) return wrong(0, "is larger than a megabyte");
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = DecodeUtf8(text.substr(i));
    if (c.length == 0) return wrong(i, "is not UTF-8");
    if (c.value == 0) return wrong(i, "contains NUL");
    i += c.length;
  }
  KdlReader reader(text);
  std::vector<KdlNode> nodes;
  if (!reader.ReadDocument(nodes)) return reader.scanner().error(name);
  return nodes;
}

std::string KdlString(std::string_view text) {
  constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = DecodeUtf8(text.substr(i));
    const size_t length = c.length == 0 ? 1 : c.length;
    const size_t escape = kMeanings.find(text[i]);
    if (length == 1 && escape != std::string_view::npos) {
      out += '\\';
      out += kNames[escape];
    } else if (IsInvisible(c.value) && c.length != 0) {
      std::string digits;
      for (uint32_t rest = c.value; rest != 0 || digits.empty(); rest /= 16) {
        digits.insert(digits.begin(), kHex[rest % 16]);
      }
      out += "\\u{" + digits + "}";
    } else {
      out += text.substr(i, length);
    }
    i += length;
  }
  return out + "\"";
}

}  // namespace ringfence
