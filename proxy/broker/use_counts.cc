#include "proxy/broker/use_counts.h"

#include "base/text.h"

namespace ringfence {
namespace {

// Both keep a message below kMaxSocketMessage.
constexpr size_t kMaxHosts = 60;
constexpr size_t kMaxRefused = 30;    // hosts, so that those that are reached always have a place
constexpr size_t kMaxHostText = 270;  // bytes; a host name has at most 253

}  // namespace

void UseCounts::Use::AddFields(std::vector<std::string>& fields) const {
  for (const uint64_t number : {granted, refused, up, down}) {
    fields.push_back(std::to_string(number));
  }
}

UseCounts::Use& UseCounts::At(const std::string& target, size_t most) {
  const std::string name = CutText(Printable(target), kMaxHostText);
  const auto at = hosts_.find(name);
  if (at != hosts_.end()) return at->second;
  return hosts_.size() < most ? hosts_[name] : others_;
}

void UseCounts::Granted(const std::string& target) {
  ++total_.granted;
  ++At(target, kMaxHosts).granted;
}

void UseCounts::Refused(const std::string& target) {
  ++total_.refused;
  if (!target.empty()) ++At(target, kMaxRefused).refused;
}

void UseCounts::Ended(const std::string& target, uint64_t up, uint64_t down) {
  for (Use* const use : {&total_, &At(target, kMaxHosts)}) {
    use->up += up;
    use->down += down;
  }
}

std::vector<std::string> UseCounts::Fields(size_t open) const {
  std::vector<std::string> fields{std::to_string(open)};
  total_.AddFields(fields);
  const auto add = [&fields](const std::string& name, const Use& use) {
    fields.push_back(name);
    use.AddFields(fields);
  };
  for (const auto& [name, use] : hosts_) add(name, use);
  if (others_.granted + others_.refused > 0) add("other hosts", others_);
  return fields;
}

}  // namespace ringfence
