// The table of the policy keys with plain values. To add a key, give it a field in policy/policy.h
// and a row here; `pytest tests/schema --update-documents` writes it into the schema, into
// docs/policy-format.md and into docs/man/ringfence-policy.5.
#pragma once

#include <algorithm>

#include "policy/load/key.h"
#include "policy/rules/domain.h"

namespace ringfence {

// Text for the documentation, in Markdown. The hook does not link it.
struct KeyDocument {
  std::string_view without;  // the value if no file has the key
  std::string_view meaning;
  std::string_view several;  // how the values of several files combine; "" if KeyRules say it
};

struct DocumentedKey {
  KeyRow row;
  KeyDocument document;
};

namespace keys {

constexpr KeyType kSwitch{.kind = KeyKind::kSwitch};
constexpr KeyType kSize{.kind = KeyKind::kSize};
constexpr KeyType kText{.kind = KeyKind::kText};
constexpr KeyType kOwnPath{.kind = KeyKind::kText, .form = TextForm::kOwnPath};
constexpr KeyType kProxyUrl{.kind = KeyKind::kText, .form = TextForm::kProxyUrl};
constexpr KeyType kTexts{.kind = KeyKind::kTexts, .form = TextForm::kNotEmpty};

constexpr KeyType OneOf(std::span<const KeyChoice> choices) {
  return {.kind = KeyKind::kChoice, .choices = choices};
}
constexpr KeyType SizeFrom(std::string_view least) {
  return {.kind = KeyKind::kSize, .least_size = least};
}
constexpr KeyType Whole(uint32_t least, uint32_t most) {
  return {.kind = KeyKind::kNumber, .whole = true, .least = least, .most = most};
}
constexpr KeyType NumberAbove(uint32_t above, uint32_t most) {
  return {.kind = KeyKind::kNumber, .least = above, .most = most};
}
constexpr KeyType ListOf(TextForm form) { return {.kind = KeyKind::kTexts, .form = form}; }

constexpr uint8_t kEveryLayer = 7;
constexpr KeyRules kLast{};
// The last file's value, within the limits of the tight layers.
constexpr KeyRules kLimit{.tighten = KeyRule::kLower, .layers = kEveryLayer};
constexpr KeyRules kLimitOn{.tighten = KeyRule::kHigher, .layers = kEveryLayer};
// A later file cannot switch it off.
constexpr KeyRules kStaysOn{
    .merge = KeyRule::kHigher, .tighten = KeyRule::kHigher, .layers = kEveryLayer};

// Text and commands from an untrusted file are ignored.
constexpr KeyRules OfTrusted(KeyRule tighten) {
  return {.tighten = tighten, .layers = static_cast<uint8_t>(TightLayer::kTrustedEvent)};
}
// The managed file's value replaces all others, and an event chooses none.
constexpr KeyRules kOverridden{.layers = static_cast<uint8_t>(TightLayer::kManaged)};
// A key that profiles cannot have; of the tight layers, only the managed file counts.
constexpr KeyRules OfFile(KeyRule tighten) {
  return {.tighten = tighten,
          .layers = static_cast<uint8_t>(TightLayer::kManaged),
          .in_profiles = false};
}

inline bool IntoUnsandboxed(Policy& policy, const KeyValue& value, KeyRule rule) {
  const bool took = ApplyKey(policy.unsandboxed, value, rule);
  if (took) policy.unsandboxed_place = value.place();
  return took;
}

inline bool IntoUpstream(Policy& policy, const KeyValue& value, KeyRule) {
  Result<HostPort> proxy = ParseProxyUrl(value.text);
  if (!policy.network || !proxy) return false;
  policy.network->upstream = {std::move(proxy->host), proxy->port, value.place()};
  return true;
}

inline constexpr KeyChoice kUnlistedWords[] = {
    {"deny", Unlisted::kDeny}, {"ask", Unlisted::kAsk}, {"allow", Unlisted::kAllow}};
inline constexpr KeyChoice kUnsandboxedWords[] = {{"deny", Unsandboxed::kDeny},
                                                  {"ask", Unsandboxed::kAsk}};
inline constexpr KeyChoice kPermittedWords[] = {{"client", Permitted::kClient},
                                                {"allow", Permitted::kAllow}};
inline constexpr KeyChoice kModeWords[] = {
    {"sandbox", SandboxMode::kSandbox}, {"rx", SandboxMode::kRx}, {"rwx", SandboxMode::kRwx}};
inline constexpr KeyChoice kLayerWords[] = {{"full", SandboxLayers::kFull},
                                            {"landlock", SandboxLayers::kLandlock}};
inline constexpr KeyChoice kMissingWords[] = {{"refuse", SandboxMissing::kRefuse},
                                              {"warn", SandboxMissing::kWarn}};
inline constexpr KeyChoice kReadsWords[] = {{"all", SandboxReads::kAll},
                                            {"listed", SandboxReads::kListed}};
inline constexpr KeyChoice kBufferWords[] = {{"disk", StageBuffer::kDisk},
                                             {"memory", StageBuffer::kMemory}};
inline constexpr KeyChoice kSystemLogWords[] = {
    {"anchors", SystemLog::kAnchors}, {"lines", SystemLog::kLines}, {"off", SystemLog::kOff}};
// The client accepts "manual" as another name for "default".
inline constexpr KeyChoice kPermissionModeWords[] = {
    {"default", 0}, {"manual", 0},           {"plan", 1}, {"acceptEdits", 2}, {"dontAsk", 3},
    {"auto", 4},    {"bypassPermissions", 5}};

template <auto kMember>
constexpr auto kSandbox = Into<&Policy::sandbox, kMember>;
template <auto kMember>
constexpr auto kStage = Into<&Policy::stage, kMember>;
template <auto kMember>
constexpr auto kAudit = Into<&Policy::audit, kMember>;

inline constexpr DocumentedKey kTable[] = {
    {{"write.package_stores", ListOf(TextForm::kDirectoryName), Into<&Policy::package_stores>,
      kLast},
     {"none besides `node_modules`",
      "names of directories that hold packages: hard links are ordinary there, and so are files "
      "that packages bring for editors and hosts"}},
    {{"network.unlisted", OneOf(kUnlistedWords)},
     {"`\"deny\"`", "a host that no list names: `\"deny\"`, `\"ask\"` or `\"allow\"`", "limit"}},
    {{"network.upstream", kProxyUrl, IntoUpstream, kOverridden, true},
     {"none",
      "the proxy through which the egress proxy connects: `http://host:port`; an error in a "
      "project's file",
      "last, but the managed file's value overrides all"}},
    {{"bash.unsandboxed", OneOf(kUnsandboxedWords), IntoUnsandboxed, kLimit, true},
     {"`\"deny\"`", "a call that sets `dangerouslyDisableSandbox`: `\"deny\"` or `\"ask\"`"}},
    {{"bash.wrap", kSwitch, Into<&Policy::wrap_bash>, kStaysOn},
     {"`false`",
      "runs Bash and Monitor under the [kernel sandbox](client-bash.md) and refuses PowerShell; a "
      "later file can only switch it on"}},
    {{"permitted", OneOf(kPermittedWords), Into<&Policy::permitted>, kLimit},
     {"`\"client\"`",
      "the answer to a permitted call: `\"client\"` leaves the call to the client's own prompts "
      "and rules; `\"allow\"` skips the client's prompt, except for shells, agents and MCP tools"}},
    {{"sandbox.mode", OneOf(kModeWords), kSandbox<&SandboxRules::mode>, kLimit},
     {"`\"sandbox\"`",
      "`\"rx\"`: read and execute; `\"sandbox\"`: as the lists say; `\"rwx\"`: not confined"}},
    {{"sandbox.layers", OneOf(kLayerWords), kSandbox<&SandboxRules::layers>, kLimit},
     {"`\"full\"`", "the kernel mechanisms to use: `\"full\"` or `\"landlock\"`"}},
    {{"sandbox.missing", OneOf(kMissingWords), kSandbox<&SandboxRules::missing>, kLimit},
     {"`\"refuse\"`",
      "the reaction if the host lacks a mechanism ([some are always "
      "required](sandbox.md#kernels)): `\"refuse\"` or `\"warn\"`"}},
    {{"sandbox.reads", OneOf(kReadsWords), kSandbox<&SandboxRules::reads>, kLimit},
     {"`\"all\"`", "the files that commands may read: `\"all\"` or `\"listed\"`"}},
    {{"sandbox.memory", SizeFrom("16M"), kSandbox<&SandboxRules::memory>, kLimit},
     {"no limit", "bytes of memory, at least 16M"}},
    {{"sandbox.processes", Whole(1, 1000000), kSandbox<&SandboxRules::processes>, kLimit},
     {"4096", "maximum number of processes at once, 1 to 1000000"}},
    {{"sandbox.cpus", NumberAbove(0, 1000000), kSandbox<&SandboxRules::cpus>, kLimit},
     {"no limit", "number of processors, above 0 and up to 1000000"}},
    {{"sandbox.io", kSize, kSandbox<&SandboxRules::io>, kLimit}, {"no limit", "bytes per second"}},
    {{"sandbox.env", ListOf(TextForm::kVariable), kSandbox<&SandboxRules::env>, kLimit},
     {"see below", "names of the variables to pass on, instead of the usual ones"}},
    {{"stage.verify", kTexts, kStage<&StageRules::verify>, OfTrusted(KeyRule::kAdd)},
     {"none", "commands that must succeed before changes are applied"}},
    {{"stage.buffer", OneOf(kBufferWords), kStage<&StageRules::buffer>,
      OfTrusted(KeyRule::kReplace)},
     {"`\"disk\"`", "where changes are kept while the command runs: `\"disk\"` or `\"memory\"`"}},
    {{"stage.buffer_size", SizeFrom("1M"), kStage<&StageRules::buffer_size>,
      OfTrusted(KeyRule::kReplace)},
     {"1G", "bytes of a buffer in memory, at least 1M"}},
    {{"stage.keep_days", Whole(0, 36500), kStage<&StageRules::keep_days>,
      OfTrusted(KeyRule::kReplace)},
     {"30", "days for which `ringfence stage gc` keeps applied stages, 0 to 36500"}},
    {{"stage.keep_size", kSize, kStage<&StageRules::keep_size>, OfTrusted(KeyRule::kReplace)},
     {"10G", "bytes of applied stages that `ringfence stage gc` keeps, the newest first"}},
    {{"stage.commands.sandbox", kSwitch, kStage<&StageRules::sandbox>, kLimitOn},
     {"`true`",
      "confines commands in a stage; `false` refuses to stage commands, except agents, since only "
      "a "
      "confined command cannot change the project past its stage"}},
    {{"stage.commands.auto_apply", kSwitch, kStage<&StageRules::auto_apply>, kLimit},
     {"`false`", "applies what a command has changed without asking"}},
    {{"stage.commands.auto_apply_trusted", kSwitch, kStage<&StageRules::auto_apply_trusted>,
      kLimit},
     {"`true`", "applies what a trusted command has changed without asking"}},
    {{"stage.commands.trusted", kTexts, kStage<&StageRules::trusted>, kLimit},
     {"none",
      "trusted commands: each word is a pattern for one argument, and `*` at the end stands for "
      "any further arguments"}},
    {{"stage.commands.show_diff_threshold", Whole(0, 1000000),
      kStage<&StageRules::show_diff_threshold>, kLimit},
     {"10", "shows the diff before the question if the preview has more lines, 0 to 1000000"}},
    {{"alerts.enabled", kSwitch},
     {"`true`", "writes alerts; a managed file that names an inbox requires them",
      "last; see below"}},
    {{"alerts.inbox", kOwnPath},
     {"an error, except in a profile",
      "the directory for alerts, one JSON file each; begins with `/` or `~/`, and no part of it is "
      "a link",
      "last; see below"}},
    {{"denied.say", kText, Into<&Policy::say>, OfTrusted(KeyRule::kReplace)},
     {"nothing", "a sentence at the end of every denial that the model sees, cut to 400 bytes"}},
    {{"client.permission_mode", OneOf(kPermissionModeWords), Into<&Policy::permission_mode>, kLast},
     {"none",
      "the mode in which to start the client: `default` or `manual` (the same mode), `plan`, "
      "`acceptEdits`, `dontAsk`, `auto` or `bypassPermissions`"}},
    {{"audit.file", kOwnPath, kAudit<&AuditRules::file>, OfFile(KeyRule::kReplace)},
     {"`\"~/.local/state/ringfence/audit.jsonl\"`",
      "the file for the decisions, one JSON line each; begins with `/` or `~/`, without patterns",
      "last, but the managed file's value overrides all"}},
    {{"audit.rotate", kSize, kAudit<&AuditRules::rotate>, {.in_profiles = false}},
     {"`\"64M\"`", "the size at which the file is rotated"}},
    {{"audit.required", kSwitch, kAudit<&AuditRules::required>, OfFile(KeyRule::kHigher)},
     {"`false`", "denies calls that cannot be logged; denials never wait for the log",
      "last, but the managed file's `true` stays"}},
    {{"audit.system_log", OneOf(kSystemLogWords), kAudit<&AuditRules::system_log>,
      OfFile(KeyRule::kHigher)},
     {"`\"anchors\"`",
      "the messages to journald or syslog: digests at intervals (`\"anchors\"`), every line "
      "(`\"lines\"`), or nothing (`\"off\"`)",
      "last, but never less than the managed file says"}},
};

}  // namespace keys

// The rows of the table, without the documentation.
std::span<const KeyRow> PolicyKeys();
const KeyRow& KeyNamed(KeyName name);

constexpr bool IsKeyName(std::string_view name) {
  return std::ranges::any_of(keys::kTable,
                             [name](const DocumentedKey& key) { return key.row.name == name; });
}

}  // namespace ringfence
