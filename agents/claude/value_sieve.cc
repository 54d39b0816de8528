#include "agents/claude/value_sieve.h"

#include <algorithm>

#include "policy/mcp/mcp_host.h"
#include "policy/mcp/mcp_value.h"

namespace ringfence {
namespace {

constexpr size_t kMaxKnownKeys = 32;

}  // namespace

void ValueSieve::LookIn(const CachedFiles& files, const Places& places, std::string_view cwd) {
  names_.emplace(files, places);
  for (std::string& folder : ServerFolders(StartOf(places), cwd))
    names_->AddFolder(std::move(folder));
}

UsualName ValueSieve::UsualOf(const std::string& key) {
  const auto known = std::ranges::find(usual_, key, &KeyName::key);
  if (known != usual_.end()) return known->usual;
  const UsualName usual = McpNameOf(key);
  if (usual_.size() < kMaxKnownKeys) usual_.push_back({key, usual});
  return usual;
}

bool ValueSieve::MayBePlaceAsKey(std::string_view key) const {
  const bool may_be_url = key.find(':') != key.npos;
  if (names_ && !may_be_url && !names_->MayNameAsKey(key)) return false;
  return MayBePlace(key, UsualName::kNone);
}

// True for "/etc:/mnt", "~:/mnt" and, under a name for several paths, anything else before a colon.
bool ValueSieve::MayBeBound(std::string_view text, UsualName usual) const {
  const std::string_view bound = BoundPath(text);
  return !bound.empty() && (usual == UsualName::kPaths || MayBePlace(bound, UsualName::kNone));
}

bool ValueSieve::MayBePlace(std::string_view text, UsualName usual) const {
  text = text.substr(0, text.find('\0'));
  if (names_ && names_->MayNameAsWritten(text)) return true;
  const Value value = ReadValue(text);
  if (value.is_cut) return true;
  if (usual != UsualName::kNone && LooksLikeDocument(text)) return true;
  if (usual == UsualName::kPeer) {
    if (LooksLikePeer(value.text)) return true;
    usual = UsualName::kNone;
  }
  if (value.form == ValueForm::kText) return false;
  const bool is_relative = value.form == ValueForm::kRelative;
  if (!is_relative && value.form != ValueForm::kAbsolute) return true;
  const bool counts = is_relative ? usual != UsualName::kNone || IsScpAddress(value.text)
                                  : usual == UsualName::kUrl;
  return counts || !names_ || names_->MayName(value.text) || MayBeBound(value.text, usual);
}

}  // namespace ringfence
