#include "agents/claude/settings/shape.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/text.h"

namespace ringfence {
namespace {

template <typename Predicate>
bool EveryChild(const JsonTree& tree, const JsonNode& node, Predicate predicate) {
  for (JsonTree::Index i = node.first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    if (!predicate(tree.node(i))) return false;
  }
  return true;
}

bool IsText(const JsonNode& node) { return node.kind == JsonKind::kString; }

double NumberOf(const JsonNode& node) {
  return std::strtod(std::string(node.content()).c_str(), nullptr);
}

// True for what `new URL()` accepts, as far as hook entries use it: a scheme, and a host for http.
bool IsUrl(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string scheme = LowerAscii(text.substr(0, colon));
  if (scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.") != std::string::npos) {
    return false;
  }
  std::string_view rest = text.substr(colon + 1);
  if (scheme != "http" && scheme != "https") return true;
  while (rest.starts_with('/')) rest.remove_prefix(1);
  return !rest.empty();
}

}  // namespace

bool IsOneOf(const JsonNode& node, std::initializer_list<std::string_view> words) {
  return IsText(node) && std::ranges::find(words, node.content()) != words.end();
}

bool Fits(const JsonTree& tree, const JsonNode& node, Shape shape) {
  switch (shape) {
    case Shape::kBool:
      return node.kind == JsonKind::kTrue || node.kind == JsonKind::kFalse;
    case Shape::kText:
      return IsText(node);
    case Shape::kSomeText:
      return IsText(node) && !node.content().empty();
    case Shape::kTexts:
      return node.kind == JsonKind::kArray && EveryChild(tree, node, IsText);
    case Shape::kTextMap:
      return node.kind == JsonKind::kObject && EveryChild(tree, node, IsText);
    case Shape::kObject:
      return node.kind == JsonKind::kObject;
    case Shape::kArray:
      return node.kind == JsonKind::kArray;
    case Shape::kPositive:
      return node.kind == JsonKind::kNumber && NumberOf(node) > 0;
    case Shape::kCount:
      return node.kind == JsonKind::kNumber && NumberOf(node) > 0 &&
             std::floor(NumberOf(node)) == NumberOf(node);
    case Shape::kUrl:
      return IsText(node) && IsUrl(node.content());
    case Shape::kShell:
      return IsOneOf(node, {"bash", "powershell"});
    case Shape::kOnFailure:
      return IsOneOf(node, {"block", "continue"});
    case Shape::kMode:
      return IsOneOf(node, {"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk",
                            "manual", "plan"});
    case Shape::kDisable:
      return IsOneOf(node, {"disable"});
  }
  return false;
}

std::string_view Wanted(Shape shape) {
  switch (shape) {
    case Shape::kBool:
      return "must be true or false";
    case Shape::kText:
      return "must be a string";
    case Shape::kSomeText:
      return "must be a string that is not empty";
    case Shape::kTexts:
      return "must be an array of strings";
    case Shape::kTextMap:
      return "must be an object of strings";
    case Shape::kObject:
      return "must be an object";
    case Shape::kArray:
      return "must be an array";
    case Shape::kPositive:
      return "must be a number above 0";
    case Shape::kCount:
      return "must be a whole number above 0";
    case Shape::kUrl:
      return "must be a URL";
    case Shape::kShell:
      return R"(must be "bash" or "powershell")";
    case Shape::kOnFailure:
      return R"(must be "block" or "continue")";
    case Shape::kMode:
      return "is not a permission mode";
    case Shape::kDisable:
      return "must be \"disable\"";
  }
  return "";
}

}  // namespace ringfence
