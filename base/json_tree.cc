#include "base/json_tree.h"

#include <algorithm>

#include "base/json_mistake.h"
#include "base/json_pointer.h"

namespace ringfence {

// Feeds the scanner's tokens into the node list.
class JsonTree::Builder {
 public:
  Builder(JsonTree& tree, JsonScanner::Options options)
      : tree_(tree),
        source_(*tree.text_),
        comments_(options.comments),
        scanner_(source_, options) {}

  Status Run() {
    for (;;) {
      const Token token = scanner_.Next();
      if (token == Token::kEnd) return Unit{};
      const bool taken = token == Token::kString ? TakeString() : Take(token);
      if (!taken) return Failure();
    }
  }

 private:
  bool Take(Token token) {
    switch (token) {
      case Token::kKey:
        tree_.keys_.push_back({Intern(scanner_.text()), Offset(scanner_.token_offset())});
        key_ = static_cast<uint32_t>(tree_.keys_.size() - 1);
        return true;
      case Token::kObjectEnd:
      case Token::kArrayEnd:
        tree_.nodes_[open_.back().node].end = Offset(scanner_.offset());
        open_.pop_back();
        return true;
      case Token::kObjectBegin:
      case Token::kArrayBegin:
        open_.push_back({Add(KindOf(token)), kNone});
        return true;
      case Token::kNumber:
        SetContent(tree_.nodes_[Add(Kind::kNumber)], scanner_.text());
        return true;
      case Token::kTrue:
      case Token::kFalse:
      case Token::kNull:
        Add(KindOf(token));
        return true;
      case Token::kString:
      case Token::kEnd:
      case Token::kError:
        break;
    }
    return false;
  }

  bool TakeString() {
    JsonScanner::String string;
    if (!scanner_.TakeString(tree_.text_->size(), &string)) return false;
    Node& node = tree_.nodes_[Add(Kind::kString)];
    SetContent(node, string.text);
    node.has_nul = string.has_nul;
    node.has_lone_surrogate = string.has_lone_surrogate;
    return true;
  }

  Index Add(Kind kind) {
    const auto index = static_cast<Index>(tree_.nodes_.size());
    Node& node = tree_.nodes_.emplace_back();
    node.kind = kind;
    node.begin = Offset(scanner_.token_offset());
    node.end = Offset(scanner_.offset());
    node.key = std::exchange(key_, kNone);
    if (open_.empty()) return index;
    Open& open = open_.back();
    node.parent = open.node;
    Node& parent = tree_.nodes_[open.node];
    (open.last == kNone ? parent.first_child : tree_.nodes_[open.last].next) = index;
    open.last = index;
    ++parent.size;
    return index;
  }

  void SetContent(Node& node, std::string_view text) {
    const std::string_view content = Intern(text);
    node.data = content.data();
    node.size = static_cast<uint32_t>(content.size());
  }

  // Returns text inside the document as it is; copies any other text.
  std::string_view Intern(std::string_view text) {
    const std::string& all = *tree_.text_;
    if (text.data() >= all.data() && text.data() + text.size() <= all.data() + all.size()) {
      return text;
    }
    return tree_.decoded_->emplace_back(text);
  }

  static uint32_t Offset(size_t offset) { return static_cast<uint32_t>(offset); }

  Status Failure() const {
    JsonMistake mistake = DescribeJsonMistake(*tree_.text_, scanner_, comments_);
    return ConfigError(tree_.PlaceOf(mistake.offset), std::move(mistake.what),
                       std::move(mistake.hint));
  }

  struct Open {
    Index node = kNone;
    Index last = kNone;  // its last child so far
  };
  JsonTree& tree_;
  TextSource source_;
  bool comments_;
  JsonScanner scanner_;
  std::vector<Open> open_;
  uint32_t key_ = kNone;
};

namespace {

// Estimates the number of values from the commas at the beginning of the text: growing the vector
// would copy all nodes, and unused memory has a cost, too.
size_t ExpectedNodes(std::string_view text) {
  const std::string_view sample = text.substr(0, 4096);
  const auto commas = static_cast<size_t>(std::ranges::count(sample, ','));
  return commas * text.size() / std::max<size_t>(sample.size(), 1) * 9 / 8 + 16;
}

const JsonNode* ChildAt(const JsonTree& tree, const JsonNode& parent, const std::string& key) {
  if (parent.kind != JsonKind::kArray) return tree.Find(parent, key);
  size_t position = 0;
  for (const JsonNode& child : tree.ChildrenOf(parent)) {
    if (std::to_string(position++) == key) return &child;
  }
  return nullptr;
}

}  // namespace

Result<JsonTree> JsonTree::Parse(std::string text, std::string name, bool comments,
                                 uint32_t first_line) {
  JsonTree tree;
  tree.name_ = std::move(name);
  tree.first_line_ = first_line;
  if (Status s = tree.Fill(std::move(text), {.comments = comments}, nullptr); !s) return s.error();
  return tree;
}

Result<JsonTree> JsonTree::ParseForPeople(std::string text, std::string name,
                                          std::vector<Error>& mistakes) {
  JsonTree tree;
  tree.name_ = std::move(name);
  if (Status s = tree.Fill(std::move(text), {.comments = true}, &mistakes); !s) return s.error();
  return tree;
}

Status JsonTree::Fill(std::string text, JsonScanner::Options options,
                      std::vector<Error>* mistakes) {
  text_ = std::make_unique<std::string>(std::move(text));
  decoded_ = std::make_unique<std::deque<std::string>>();
  if (text_->size() >= kNone) return ConfigError(name_, "too large");
  nodes_.reserve(ExpectedNodes(*text_));
  std::vector<JsonScanner::Duplicate> duplicates;
  if (mistakes != nullptr) options.duplicates = &duplicates;
  Status status = Builder(*this, options).Run();
  for (JsonScanner::Duplicate& duplicate : duplicates) {
    mistakes->push_back(ConfigError(PlaceOf(duplicate.offset), std::move(duplicate.what)));
  }
  return status;
}

std::string JsonTree::PlaceOf(size_t offset) const {
  return PlaceText(name_, *text_, offset, first_line_);
}

const JsonTree::Node* JsonTree::Find(const Node& node, std::string_view key) const {
  if (node.kind != Kind::kObject) return nullptr;
  for (Index i = node.first_child; i != kNone; i = nodes_[i].next) {
    if (KeyOf(nodes_[i]) == key) return &nodes_[i];
  }
  return nullptr;
}

std::string_view JsonTree::Text(const Node& node, std::string_view key) const {
  const Node* member = Find(node, key);
  return member != nullptr && member->kind == Kind::kString ? member->content() : "";
}

std::string JsonTree::Pointer(const Node& node) const {
  if (node.parent == kNone) return "";
  const Node& parent = nodes_[node.parent];
  std::string pointer = Pointer(parent) + "/";
  if (parent.kind == Kind::kArray) {
    size_t position = 0;
    for (Index i = parent.first_child; i != IndexOf(node); i = nodes_[i].next) ++position;
    return pointer + std::to_string(position);
  }
  AppendPointerKey(pointer, KeyOf(node));
  return pointer;
}

uint32_t LineOf(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n'));
}

std::string PlaceText(std::string_view name, std::string_view text, size_t offset,
                      uint32_t first_line) {
  const std::string_view before = text.substr(0, offset);
  const size_t newline = before.rfind('\n');
  const size_t column =
      newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  const uint32_t line = LineOf(text, offset) - 1 + first_line;
  return std::string(name) + ":" + std::to_string(line) + ":" + std::to_string(column + 1);
}

std::string_view KindName(JsonKind kind) {
  constexpr std::string_view kNames[] = {"an object", "an array",  "a string", "a number",
                                         "a boolean", "a boolean", "null"};  // as in JsonKind
  return kNames[static_cast<size_t>(kind)];
}

const JsonTree::Node* NodeAt(const JsonTree& tree, std::string_view pointer) {
  const JsonTree::Node* node = &tree.root();
  while (node != nullptr && !pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view key = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(key.size());
    node = ChildAt(tree, *node, DecodePointerKey(key));
  }
  return node;
}

}  // namespace ringfence
