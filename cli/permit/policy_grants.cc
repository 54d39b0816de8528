#include "cli/permit/policy_grants.h"

#include <algorithm>

#include "base/text.h"
#include "cli/permit/policy_grant_rows.h"

namespace ringfence {
namespace {

// The part of the file that a description is about. A profile that an event chooses only narrows.
struct Frame {
  std::string prefix;  // "In profile "x": "
  std::string pointer;
  bool only_narrows = false;
};

class Reader {
 public:
  Reader(const PolicyFile& file, const GrantReader& reader)
      : file_(file), tree_(*file.tree), reader_(reader) {}

  std::vector<GrantText> Run() {
    Members(tree_.root(), "", {});
    std::ranges::stable_sort(said_, {}, &GrantText::danger);
    return std::move(said_);
  }

 private:
  void Members(const JsonNode& object, const std::string& key, const Frame& frame) {
    for (JsonTree::Index i = object.first_child; i != JsonTree::kNone; i = tree_.node(i).next) {
      const JsonNode& node = tree_.node(i);
      const std::string name(tree_.KeyOf(node));
      const bool is_top = key.empty() && frame.pointer.empty();
      if (is_top && name == "profiles") {
        Profiles(node);
      } else if (!(key.empty() && !is_top && name == "when")) {
        std::string below = key;
        below.append("/").append(name);
        Value(node, below, frame);
      }
    }
  }

  void Value(const JsonNode& node, const std::string& key, const Frame& frame) {
    std::vector<GrantText> said;
    GrantSpeaker speaker(tree_, reader_, frame.pointer + key, said);
    const GrantRow* row = GrantRowFor(key);
    const bool has_members = node.kind == JsonTree::Kind::kObject && HasGrantRowBelow(key);
    if (row != nullptr) {
      row->say(speaker, node);
    } else if (!has_members) {
      speaker.Say(Danger::kOpensAll, "Sets " + Quote(key, 80) + " to " + speaker.Raw(node));
    }
    for (GrantText& one : said) {
      one.says = frame.prefix + one.says;
      if (frame.only_narrows) one.danger = Danger::kNone;
      said_.push_back(std::move(one));
    }
    if (has_members) Members(node, key, frame);
  }

  void Profiles(const JsonNode& profiles) {
    size_t position = 0;
    for (JsonTree::Index i = profiles.first_child; i != JsonTree::kNone; i = tree_.node(i).next) {
      const JsonNode& node = tree_.node(i);
      const Profile& profile = file_.profiles[position++];
      Frame frame{"In profile " + Quote(profile.name, 80), "/profiles/" + std::string(profile.name),
                  profile.when && profile.when->is_chosen_by_event()};
      if (frame.only_narrows) {
        frame.prefix += ", which can only narrow";
      } else if (profile.when && profile.when->root) {
        const JsonNode* root = tree_.Find(*tree_.Find(node, "when"), "root");
        frame.prefix += ", for projects below " + Quote(root->content(), 80);
      }
      frame.prefix += ": ";
      Members(node, "", frame);
    }
  }

  const PolicyFile& file_;
  const JsonTree& tree_;
  const GrantReader& reader_;
  std::vector<GrantText> said_;
};

}  // namespace

std::vector<GrantText> GrantsOf(const PolicyFile& file, const GrantReader& reader) {
  return Reader(file, reader).Run();
}

bool HasWordsFor(const std::string& key) {
  return GrantRowFor(key) != nullptr || HasGrantRowBelow(key);
}

}  // namespace ringfence
