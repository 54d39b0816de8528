// The KDL reader and the rewriting of layouts: a document survives being written and read;
// rewriting wraps each command and changes nothing else that Zellij sees; rewriting twice equals
// rewriting once.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/layout/kdl.h"
#include "cli/layout/layout_panes.h"
#include "cli/layout/rewrite.h"
#include "fuzz/require.h"

using namespace ringfence;

namespace {

std::string Written(const KdlValue& value) {
  switch (value.kind) {
    case KdlValue::Kind::kString:
      return KdlString(value.text);
    case KdlValue::Kind::kNumber:
      return value.text;
    case KdlValue::Kind::kTrue:
      return "true";
    case KdlValue::Kind::kFalse:
      return "false";
    case KdlValue::Kind::kNull:
      return "null";
  }
  return "";
}

std::string Written(const std::vector<KdlNode>& nodes) {
  std::string out;
  for (const KdlNode& node : nodes) {
    out += KdlString(node.name);
    for (const KdlEntry& entry : node.entries) {
      out += " " + (entry.name ? KdlString(*entry.name) + "=" : "") + Written(entry.value);
    }
    if (node.has_block) out += "{" + Written(node.children) + "}";
    out += ";";
  }
  return out;
}

void CheckPlaces(const std::vector<KdlNode>& nodes, std::string_view text) {
  for (const KdlNode& node : nodes) {
    Require(node.begin < node.name_end && node.name_end <= node.entries_end);
    for (const KdlEntry& entry : node.entries) {
      Require(node.name_end < entry.value.end && entry.value.end <= node.entries_end);
    }
    if (node.has_block) {
      Require(text[node.block_begin - 1] == '{' && text[node.block_end] == '}');
      Require(node.entries_end < node.block_begin && node.block_begin <= node.block_end);
    }
    CheckPlaces(node.children, text);
  }
}

void CheckRewriting(const std::string& text, const std::vector<KdlNode>& nodes) {
  const RewriteQuestion question{.wrapper = {.program = "/x/ringfence", .options = {"--root=/p"}},
                                 .profiles = {"a"},
                                 .known = {}};
  const Result<RewrittenLayout> layout = RewriteLayout(text, "x", question);
  if (!layout) return;
  const auto before = FindPanes(nodes, text, "x");
  const auto again = ReadKdl(layout->text, "x");
  Require(before.has_value() && again.has_value());
  const auto after = FindPanes(*again, layout->text, "x");
  Require(after.has_value() && after->size() == before->size());
  for (size_t i = 0; i < after->size(); ++i) {
    const LayoutPane& old = (*before)[i];
    const LayoutPane& now = (*after)[i];
    Require(now.name == old.name && now.edits == old.edits && now.is_shell == old.is_shell);
    Require(now.command.has_value() == old.command.has_value());
    if (now.command == old.command) {  // no command, or already wrapped
      Require(now.args == old.args);
      continue;
    }
    std::vector<std::string> argv = question.wrapper.Words("a");
    argv.push_back(*old.command);
    argv.insert(argv.end(), old.args.begin(), old.args.end());
    Require(now.command == question.wrapper.program && now.args == argv);
  }
  const Result<RewrittenLayout> twice = RewriteLayout(layout->text, "x", question);
  Require(twice.has_value() && twice->text == layout->text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto nodes = ReadKdl(text, "x");
  if (!nodes) return 0;
  CheckPlaces(*nodes, text);
  const std::string written = Written(*nodes);
  const auto again = ReadKdl(written, "x");
  Require(again.has_value() && Written(*again) == written);
  CheckRewriting(text, *nodes);
  return 0;
}
