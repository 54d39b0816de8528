#include "proxy/broker/live_policy.h"

#include <unistd.h>

#include <utility>

#include "agents/claude/agent.h"
#include "base/program.h"
#include "hook/wrap.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "policy/load/sources.h"
#include "policy/load/trust.h"
#include "policy/sandbox_network.h"

namespace ringfence {
namespace {

bool IsSameTime(const timespec& one, const timespec& other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

}  // namespace

bool LivePolicy::Stamp::operator==(const Stamp& other) const {
  return device == other.device && inode == other.inode && size == other.size &&
         IsSameTime(modified, other.modified) && IsSameTime(changed, other.changed);
}

Result<LivePolicy> LivePolicy::For(const SessionRequest& request) {
  LivePolicy source;
  source.registration_.agent = &ClaudeCode();
  source.registration_.user = ::geteuid();
  source.is_agent_ = request.is_agent;
  std::vector<std::string> words = request.words;
  const std::vector<char*> pointers = ArgumentPointers(words);
  const std::span<char* const> all(pointers.data(), words.size());
  if (Status s = ReadWrapWords(all, source.registration_, source.caller_); !s) return s.error();
  return source;
}

LivePolicy::Stamp LivePolicy::StampOf(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return {};
  return {facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim, facts.st_ctim};
}

bool LivePolicy::HasChanged() const {
  for (size_t i = 0; i < paths_.size(); ++i) {
    if (!(StampOf(paths_[i]) == stamps_[i])) return true;
  }
  return !policy_.has_value();
}

void LivePolicy::NotePaths() {
  paths_.clear();
  for (const Path& path : context_->places.policies) paths_.push_back(path.text());
  const std::vector<Path>& homes = context_->places.homes;
  if (!homes.empty()) {
    const std::string& home = homes.front().text();
    paths_.push_back(TrustStorePath(home));
    const std::string grants = SessionGrantsPath(home, caller_.session_id);
    if (!grants.empty()) paths_.push_back(grants);
  }
}

// The stamps are taken before the files are read: a change in between is noticed by the next call.
Status LivePolicy::Load() {
  stamps_.clear();
  for (const std::string& path : paths_) stamps_.push_back(StampOf(path));
  policy_.reset();
  Result<Context> context = FindContext(registration_, RealFiles());
  if (!context) return context.error();
  const Result<bool> granted =
      AddSessionGrants(caller_.session_id, context->places, context->sources);
  if (!granted) return granted.error();
  context_ = std::move(*context);
  Result<Policy> policy = context_->PolicyFor(CallerOf(caller_));
  if (!policy) return policy.error();
  policy->network = SandboxNetwork(*policy, is_agent_);
  context_->places.audit_file = OwnPath(policy->audit.file, context_->places);
  policy_ = std::move(*policy);
  return Unit{};
}

Result<const Policy*> LivePolicy::Current() {
  if (HasChanged()) {
    const std::vector<std::string> before = paths_;
    Status loaded = Load();
    if (context_) NotePaths();
    if (paths_ != before) loaded = Load();  // with stamps of all paths
    if (!loaded) {
      policy_.reset();
      return loaded.error();
    }
  }
  return &policy_->value();
}

}  // namespace ringfence
