#include "base/json_edit.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

constexpr size_t kLineWidth = 90;

// Serializes `value` on one line, with a space after commas and colons.
std::string Spaced(const OrderedJson& value) {
  if (!value.is_structured() || value.empty()) return JsonText(value);
  std::string out(1, value.is_array() ? '[' : '{');
  if (value.is_object()) out += ' ';
  for (auto it = value.begin(); it != value.end(); ++it) {
    if (it != value.begin()) out += ", ";
    if (value.is_object()) out += JsonText(it.key()) + ": ";
    out += Spaced(*it);
  }
  return out + (value.is_array() ? "]" : " }");
}

bool IsFlat(const OrderedJson& value) {
  return value.is_array() &&
         std::ranges::none_of(value, [](const OrderedJson& v) { return v.is_structured(); });
}

const JsonNode* LastChild(const JsonTree& tree, const JsonNode& container) {
  const JsonNode* last = nullptr;
  for (const JsonNode& child : tree.ChildrenOf(container)) last = &child;
  return last;
}

}  // namespace

JsonEdit::JsonEdit(JsonTree tree, std::string mark, bool comments)
    : tree_(std::move(tree)), mark_(std::move(mark)), comments_(comments) {
  const std::string& text = tree_.text();
  const size_t newline = text.find('\n');
  newline_ =
      newline != std::string::npos && newline > 0 && text[newline - 1] == '\r' ? "\r\n" : "\n";
  unit_ = "  ";
  if (root().first_child == JsonTree::kNone) return;
  const size_t first = tree_.KeyBegin(tree_.node(root().first_child));
  if (IsFirstOnLine(first) && !IndentOf(first).empty()) unit_ = IndentOf(first);
}

Result<JsonEdit> JsonEdit::Open(std::string_view text, std::string name, bool comments) {
  const std::string_view body = WithoutByteOrderMark(text);
  Result<JsonTree> tree = JsonTree::Parse(std::string(body), std::move(name), comments);
  if (!tree) return tree.error();
  return JsonEdit(std::move(*tree), std::string(text.substr(0, text.size() - body.size())),
                  comments);
}

void JsonEdit::AddMember(const JsonNode& object, std::string_view key, const OrderedJson& value) {
  Insert(object, JsonString(key) + ": ", value);
}

void JsonEdit::AddElement(const JsonNode& array, const OrderedJson& value) {
  Insert(array, "", value);
}

void JsonEdit::Insert(const JsonNode& container, const std::string& key, const OrderedJson& value) {
  const JsonNode* last = LastChild(tree_, container);
  if (last == nullptr) return InsertIntoEmpty(container, key, value);
  const size_t begin = tree_.KeyBegin(*last);
  if (!IsFirstOnLine(begin)) {
    return Splice(last->end, last->end, ", " + key + Rendered(value, "", false));
  }
  const std::string indent = IndentOf(begin);
  const std::string line = newline_ + indent + key + Rendered(value, indent, true);
  // A comment after the last member stays on that member's line, so the comma goes before it.
  const size_t after = AfterComment(last->end);
  const std::string comment = tree_.text().substr(last->end, after - last->end);
  Splice(last->end, after, "," + comment + line);
}

void JsonEdit::InsertIntoEmpty(const JsonNode& container, const std::string& key,
                               const OrderedJson& value) {
  const bool is_array = container.kind == JsonKind::kArray;
  const std::string gap(Gap(container));
  const size_t inner = container.begin + 1;
  const bool has_comment = gap.find('/') != std::string::npos;
  const bool on_one_line = !has_comment && (IsOneLine() || (is_array && !value.is_structured()));
  if (on_one_line) {
    return Splice(inner, inner + gap.size(), key + Rendered(value, "", false));
  }
  const std::string outer = IndentOf(container.begin);
  const std::string indent = outer + unit_;
  const std::string kept = gap.substr(0, has_comment ? gap.find_last_not_of(" \t\r\n") + 1 : 0);
  Splice(inner, inner + gap.size(),
         kept + newline_ + indent + key + Rendered(value, indent, true) + newline_ + outer);
}

void JsonEdit::Replace(const JsonNode& node, const OrderedJson& value) {
  const bool in_lines = IsFirstOnLine(tree_.KeyBegin(node));
  ReplaceRaw(node, Rendered(value, in_lines ? IndentOf(node.begin) : "", in_lines));
}

void JsonEdit::ReplaceRaw(const JsonNode& node, std::string_view json) {
  Splice(node.begin, node.end, json);
}

void JsonEdit::Remove(const JsonNode& node) {
  const JsonNode& parent = tree_.node(node.parent);
  const JsonNode* before = nullptr;
  for (JsonTree::Index i = parent.first_child; &tree_.node(i) != &node; i = tree_.node(i).next) {
    before = &tree_.node(i);
  }
  const size_t begin = tree_.KeyBegin(node);
  if (before != nullptr && node.next != JsonTree::kNone && comments_) {
    return Splice(begin, tree_.KeyBegin(tree_.node(node.next)), "");
  }
  if (before != nullptr) return Splice(before->end, node.end, CommentBehind(*before, node));
  if (node.next != JsonTree::kNone) return Splice(begin, tree_.KeyBegin(tree_.node(node.next)), "");
  Splice(parent.begin + 1, parent.end - 1, "");
}

// Returns the comment that stays on the line of `before` when the last child, `node`, is removed.
std::string JsonEdit::CommentBehind(const JsonNode& before, const JsonNode& node) const {
  const std::string_view text = tree_.text();
  if (text[before.end] != ',') return "";
  const size_t after = AfterComment(before.end + 1);
  std::string comment(text.substr(before.end + 1, after - before.end - 1));
  const bool ends_line = text[node.end] == '\n' || text[node.end] == '\r';
  if (comment.find("//") == std::string::npos || ends_line) return comment;
  return comment + newline_ + IndentOf(tree_.node(node.parent).begin);
}

std::string_view JsonEdit::Gap(const JsonNode& empty_container) const {
  const std::string_view text = tree_.text();
  return text.substr(empty_container.begin + 1, empty_container.end - empty_container.begin - 2);
}

void JsonEdit::SetGap(const JsonNode& empty_container, std::string_view gap) {
  Splice(empty_container.begin + 1, empty_container.end - 1, gap);
}

std::string_view JsonEdit::Raw(const JsonNode& node) const {
  const std::string_view text = tree_.text();
  return text.substr(node.begin, node.end - node.begin);
}

OrderedJson JsonEdit::Value(const JsonNode& node) const {
  return OrderedJson::parse(Raw(node), nullptr, false, comments_);
}

void JsonEdit::Splice(size_t begin, size_t end, std::string_view replacement) {
  std::string text = tree_.text();
  text.replace(begin, end - begin, replacement);
  // The replacement is valid JSON in a valid place, so only a bug in the program can make this
  // fail.
  tree_ = std::move(JsonTree::Parse(std::move(text), tree_.name(), comments_)).value();
}

bool JsonEdit::IsFirstOnLine(size_t offset) const {
  std::string_view before = tree_.text();
  before = before.substr(0, offset);
  const size_t last = before.find_last_not_of(" \t");
  return last != std::string_view::npos && before[last] == '\n';
}

std::string JsonEdit::IndentOf(size_t offset) const {
  const std::string_view text = tree_.text();
  const size_t newline = text.substr(0, offset).rfind('\n');
  const size_t line = newline == std::string_view::npos ? 0 : newline + 1;
  const size_t end = std::min(text.find_first_not_of(" \t", line), text.size());
  return std::string(text.substr(line, end - line));
}

// Returns the offset after the comments that follow on the same line; `offset` if there are none.
size_t JsonEdit::AfterComment(size_t offset) const {
  const std::string_view text = tree_.text();
  size_t end = offset;
  for (size_t at = offset; comments_;) {
    at = std::min(text.find_first_not_of(" \t", at), text.size());
    if (text.substr(at, 2) == "//") return std::min(text.find_first_of("\r\n", at), text.size());
    if (text.substr(at, 2) != "/*") break;
    end = at = text.find("*/", at) + 2;
  }
  return end;
}

bool JsonEdit::IsOneLine() const {
  return root().first_child != JsonTree::kNone && Raw(root()).find('\n') == std::string_view::npos;
}

std::string JsonEdit::Rendered(const OrderedJson& value, const std::string& indent,
                               bool in_lines) const {
  std::string short_form = Spaced(value);
  const bool fits = IsFlat(value) && indent.size() + short_form.size() <= kLineWidth;
  if (!in_lines || !value.is_structured() || value.empty() || fits) return short_form;
  const std::string inner = indent + unit_;
  if (IsFlat(value)) return Filled(value, inner) + newline_ + indent + "]";
  std::string out(1, value.is_array() ? '[' : '{');
  for (auto it = value.begin(); it != value.end(); ++it) {
    out += (it == value.begin() ? "" : ",") + newline_ + inner;
    if (value.is_object()) out += JsonText(it.key()) + ": ";
    out += Rendered(*it, inner, true);
  }
  return out + newline_ + indent + (value.is_array() ? "]" : "}");
}

// Puts as many elements on each line as fit.
std::string JsonEdit::Filled(const OrderedJson& array, const std::string& indent) const {
  std::string out = "[";
  size_t width = kLineWidth;  // so that the first element begins a line
  for (const OrderedJson& element : array) {
    const std::string text = JsonText(element);
    const bool is_first = &element == &array.front();
    if (width + text.size() + 2 > kLineWidth) {
      if (!is_first) out += ",";
      out += newline_;
      out += indent;
      out += text;
      width = indent.size() + text.size();
    } else {
      out += ", ";
      out += text;
      width += text.size() + 2;
    }
  }
  return out;
}

}  // namespace ringfence
