// Policy: the agent's permissions as plain values, after files, layers and profiles were merged
// (layers.h). decide.h reads it; nothing here accesses the disk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/rules/address_range.h"

namespace ringfence {

struct Agent;

inline constexpr std::string_view kBuiltInPolicy = "built-in policy";  // as RulePlace::file
// The location of a rule. Views point into a PolicyFile, which outlives the policy.
struct RulePlace {
  std::string_view file;     // as shown to users; kBuiltInPolicy for a default
  std::string_view pointer;  // "/write/allow", "/profiles/worker/write/allow"
  uint32_t line = 0;         // from 1; 0 in the built-in policy
  bool quotable = true;      // false: an untrusted file's text must not reach the model

  bool operator==(const RulePlace&) const = default;
};

// A rule that contributed to a decision, including a permission.
struct RuleUse {
  RulePlace place;
  std::string written;  // the entry as written: "docs/adr", "@secrets", "mcp__team__*"

  bool operator==(const RuleUse&) const = default;
};

// The data that the rules of one list share.
struct RuleOrigin {
  std::string_view file;
  std::string pointer;
  bool quotable = true;
  std::string_view text;  // the whole file

  // Return the location and the content of the JSON string at byte `offset` of the text.
  RulePlace At(uint32_t offset) const;
  std::string WrittenAt(uint32_t offset) const;
};

enum class SetName : uint8_t {
  kNone,
  kSecrets,
  kAgentScratch,
  kRunsLater,
  kDotenv,
  kToolchains,
  kAgentState,
  kTmp,
};

enum class RuleBase : uint8_t {
  kRoot,      // "src", "."
  kHome,      // "~/x"
  kAbsolute,  // "/x"
  kAnywhere,  // "**/x" in a deny list
};

// One entry of a read or write list. Kept small, because a policy may have many.
struct PathRule {
  std::string_view tail;  // relative to the base, normalised; "" is the base itself
  const RuleOrigin* origin = nullptr;
  uint32_t offset = 0;  // byte offset in the file
  RuleBase base = RuleBase::kRoot;
  bool has_pattern = false;      // in `tail`
  SetName set = SetName::kNone;  // such as "@secrets"; then base and tail are unused

  std::string written() const { return origin == nullptr ? "" : origin->WrittenAt(offset); }
  RulePlace place() const { return origin == nullptr ? RulePlace{} : origin->At(offset); }
  bool is_quotable() const { return origin == nullptr || origin->quotable; }
};

// Non-owning views of several lists of rules; the policy files own the rules.
using PathRuleList = std::vector<std::span<const PathRule>>;

// A path is permitted if every list of `allow` covers it and none of `deny` does; a match in `ask`
// makes it a question. Each `allow` list also contains the asks of its source that name a place,
// because an ask permits with a question; asks about sets and "**/" only add the question.
struct PathRules {
  std::vector<PathRuleList> allow;
  PathRuleList ask;
  PathRuleList deny;
};

enum class ToolSet : uint8_t { kNone, kSession, kKnown };  // "@session-tools", "@known-tools"

struct NameRule {
  std::string_view pattern;  // a tool's name, in which "*" is a wildcard; or a set
  ToolSet set = ToolSet::kNone;
  RulePlace place;

  bool operator==(const NameRule&) const = default;
};

struct ToolRules {
  bool known_tools = true;                      // no trusted file has an allow list
  std::vector<NameRule> names;                  // names that trusted files allow or ask about
  std::vector<std::vector<NameRule>> narrower;  // each list must name the tool as well
  std::vector<NameRule> ask;
  std::vector<NameRule> deny;

  bool operator==(const ToolRules&) const = default;
};

// "host", "*.host" or "*", optionally with ":port".
struct HostRule {
  std::string_view host;  // lower case, without the "*."
  bool subdomains = false;
  bool any = false;   // "*"
  uint16_t port = 0;  // 0: none given, which means 80 and 443
  // In a deny list no port means every port, and "*" also covers what needs an entry of its own.
  bool wide = false;
  std::string_view written;
  RulePlace place;

  bool operator==(const HostRule&) const = default;
};

enum class Unlisted : uint8_t { kDeny, kAsk, kAllow };

// One source's hosts, and its verdict on all others.
struct HostList {
  std::vector<HostRule> allow;
  Unlisted unlisted = Unlisted::kDeny;
  RulePlace place;
  bool of_project = false;  // so it cannot name host.ringfence, and does not limit it

  bool operator==(const HostList&) const = default;
};

// The addresses of the user's own networks that a name may resolve to.
struct PrivateRule {
  HostRule host;  // a name; without a port, every port that the host lists permit
  std::vector<AddressRange> ranges;

  bool operator==(const PrivateRule&) const = default;
};

// The entries of one file's network.private.
struct PrivateList {
  std::vector<PrivateRule> rules;
  RulePlace place;  // the file's "network"

  bool operator==(const PrivateList&) const = default;
};

// A proxy through which the egress proxy connects.
struct Upstream {
  std::string host;  // as HostRule::host
  uint16_t port = 0;
  RulePlace place;

  bool operator==(const Upstream&) const = default;
};

struct NetworkRules {
  std::vector<HostList> lists;  // the strictest counts; if empty, only `deny` is evaluated
  std::vector<HostRule> deny;
  std::vector<HostRule> inspect;
  // An address must be in a range of each list; if there is no list, no private address is
  // permitted.
  std::vector<PrivateList> private_lists;
  std::optional<Upstream> upstream;
  bool opens_sandbox = true;  // false: only the hook applies these; the sandbox has no network

  bool operator==(const NetworkRules&) const = default;
};

enum class Unsandboxed : uint8_t { kDeny, kAsk };
enum class Permitted : uint8_t { kClient, kAllow };

// The arguments of an MCP tool that are paths: JSON pointers below tool_input, "*" for any element.
struct McpFields {
  std::string_view tool;  // "*" is a wildcard
  std::vector<std::string_view> read;
  std::vector<std::string_view> write;
  bool adds_only = false;  // arguments with the usual names of paths are evaluated as well
  RulePlace place;

  bool operator==(const McpFields&) const = default;
};

enum class SandboxMode : uint8_t { kRx, kSandbox, kRwx };  // from tight to wide
enum class SandboxLayers : uint8_t { kFull, kLandlock };
enum class SandboxMissing : uint8_t { kRefuse, kWarn };
enum class SandboxReads : uint8_t { kListed, kAll };

struct SandboxRules {
  SandboxMode mode = SandboxMode::kSandbox;
  SandboxLayers layers = SandboxLayers::kFull;
  SandboxMissing missing = SandboxMissing::kRefuse;
  SandboxReads reads = SandboxReads::kAll;
  std::optional<uint64_t> memory;     // bytes
  std::optional<uint64_t> processes;  // running at the same time
  std::optional<double> cpus;
  std::optional<uint64_t> io;                        // bytes per second
  std::optional<std::vector<std::string_view>> env;  // names of the variables to pass on

  // True if a limit applies to all processes of a run together.
  bool limits_together() const { return memory || processes || cpus || io; }
  bool operator==(const SandboxRules&) const = default;
};

enum class StageBuffer : uint8_t { kDisk, kMemory };

struct StageRules {
  std::vector<std::string_view> verify;
  StageBuffer buffer = StageBuffer::kDisk;
  uint64_t buffer_size = uint64_t{1} << 30;  // bytes; of kMemory
  uint64_t keep_days = 30;                   // for applied stages
  uint64_t keep_size = uint64_t{10} << 30;   // bytes; of applied stages together
  bool sandbox = true;
  bool auto_apply = false;
  bool auto_apply_trusted = true;
  std::vector<std::string_view> trusted;
  uint64_t show_diff_threshold = 10;  // lines of the preview

  bool operator==(const StageRules&) const = default;
};

// The part of the audit log that also goes to the system's log; each value includes the previous
// one.
enum class SystemLog : uint8_t { kOff, kAnchors, kLines };

struct AuditRules {
  std::string_view file = "~/.local/state/ringfence/audit.jsonl";
  uint64_t rotate = 64u << 20;  // bytes
  bool required = false;
  SystemLog system_log = SystemLog::kAnchors;

  bool operator==(const AuditRules&) const = default;
};

// Fields that ringfence writes into every alert; a policy cannot use these names for constants.
inline constexpr std::string_view kAlertMembers[] = {"type",    "text",      "tool", "profile",
                                                     "session", "timestamp", "held", "inside"};

using AlertFields = std::vector<std::pair<std::string_view, std::string_view>>;

struct AlertRules {
  std::string_view inbox;  // a directory; "": no alerts
  AlertFields fields;      // constants with unique names

  bool operator==(const AlertRules&) const = default;
};

struct Policy {
  const Agent* agent = nullptr;  // required; the agent that it confines
  ToolRules tools;
  PathRules read;
  PathRules write;
  std::optional<NetworkRules> network;  // absent: the hook does not evaluate hosts
  // The hosts of the user's grants for this session. They are in `network` too, if that has lists.
  std::vector<HostRule> granted_hosts;
  Unsandboxed unsandboxed = Unsandboxed::kDeny;
  RulePlace unsandboxed_place;
  bool wrap_bash = false;
  Permitted permitted = Permitted::kClient;
  std::vector<McpFields> mcp;
  SandboxRules sandbox;
  StageRules stage;
  AuditRules audit;
  AlertRules alerts;
  std::string_view say;                          // denied.say
  std::string_view permission_mode;              // client.permission_mode
  std::vector<std::string_view> package_stores;  // directory names; hard links are normal there
  std::string profile;          // names of the applied profiles, for messages; may be ""
  std::string_view named_file;  // the file that --policy names; or ""
  std::string_view own_file;    // the project's policy as shown to users, if it is trusted
};

}  // namespace ringfence
