#include <algorithm>
#include <array>
#include <cstdio>

#include "base/ascii.h"
#include "base/joined.h"
#include "base/text.h"
#include "policy/rules/word_list.h"
#include "sandbox/render.h"

namespace ringfence {
namespace {

// Constants from winnt.h.
struct Flag {
  const char* name;
  uint32_t value;
};

constexpr Flag kActiveProcess{"JOB_OBJECT_LIMIT_ACTIVE_PROCESS", 0x8};
constexpr Flag kJobMemory{"JOB_OBJECT_LIMIT_JOB_MEMORY", 0x200};
constexpr Flag kDieOnException{"JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION", 0x400};
constexpr Flag kKillOnClose{"JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE", 0x2000};

// Restrict access to other programs' windows, the clipboard and the desktop.
constexpr Flag kInterface[] = {
    {"JOB_OBJECT_UILIMIT_HANDLES", 0x1},          {"JOB_OBJECT_UILIMIT_READCLIPBOARD", 0x2},
    {"JOB_OBJECT_UILIMIT_WRITECLIPBOARD", 0x4},   {"JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS", 0x8},
    {"JOB_OBJECT_UILIMIT_DISPLAYSETTINGS", 0x10}, {"JOB_OBJECT_UILIMIT_GLOBALATOMS", 0x20},
    {"JOB_OBJECT_UILIMIT_DESKTOP", 0x40},         {"JOB_OBJECT_UILIMIT_EXITWINDOWS", 0x80}};

constexpr const char* kCapabilities[] = {"internetClient", "internetClientServer",
                                         "privateNetworkClientServer"};

constexpr const char* kConnectLayers[] = {"FWPM_LAYER_ALE_AUTH_CONNECT_V4",
                                          "FWPM_LAYER_ALE_AUTH_CONNECT_V6"};
constexpr const char* kAcceptLayers[] = {"FWPM_LAYER_ALE_AUTH_RECV_ACCEPT_V4",
                                         "FWPM_LAYER_ALE_AUTH_RECV_ACCEPT_V6"};

constexpr const char* kInherited = "(OI)(CI)";  // by files and directories below

bool IsDrive(std::string_view name) { return name.size() == 1 && IsLetter(name[0]); }

// Turns "/c/Users" into C:\Users.
std::string WindowsPath(std::string_view path) {
  std::string_view rest = path;
  const std::string_view first = TakeComponent(rest);
  std::string text(path);
  if (IsDrive(first)) {
    text = std::string(1, ToUpper(first[0])) + ":" + std::string(rest.empty() ? "/" : rest);
  }
  std::ranges::replace(text, '/', '\\');
  return text;
}

class WindowsText {
 public:
  explicit WindowsText(const SandboxPlan& plan) : plan_(plan) {}

  std::string Write() {
    Line("command", Joined(plan_.argv, " ", [](const std::string& word) { return Quote(word); }));
    Line("directory", Printable(WindowsPath(plan_.cwd.text())));
    Line("mode", ModeName(plan_.mode));
    if (!plan_.is_confined()) {
      Weaker();
      return std::move(text_);
    }
    Job();
    Token();
    Container();
    Files();
    Firewall();
    Weaker();
    return std::move(text_);
  }

 private:
  void Line(std::string_view what, std::string_view text) {
    std::string line(what);
    line.resize(std::max<size_t>(line.size() + 1, 11), ' ');
    text_ += line + std::string(text) + "\n";
  }

  void FlagLine(const Flag& flag, const std::string& with = "") {
    std::array<char, 16> value{};
    std::snprintf(value.data(), value.size(), "0x%08x", flag.value);
    Line("job", std::string(flag.name) + " " + value.data() + (with.empty() ? "" : " " + with));
  }

  // No process can leave the job: neither JOB_OBJECT_LIMIT_BREAKAWAY_OK nor its silent form is set.
  void Job() {
    const PlannedLimits& limits = plan_.limits;
    FlagLine(kKillOnClose);
    FlagLine(kDieOnException);
    FlagLine(kActiveProcess, "ActiveProcessLimit=" + std::to_string(limits.processes));
    if (limits.memory) FlagLine(kJobMemory, "JobMemoryLimit=" + std::to_string(*limits.memory));
    if (limits.cpus) {
      const auto hundredths = static_cast<uint64_t>(*limits.cpus * 10000);
      Line("job", "JOB_OBJECT_CPU_RATE_CONTROL_ENABLE|HARD_CAP CpuRate=" +
                      std::to_string(hundredths) + "/processors");
    }
    if (limits.io) {
      Line("job", "JOB_OBJECT_IO_RATE_CONTROL_ENABLE MaxBandwidth=" + std::to_string(*limits.io));
    }
    for (const Flag& flag : kInterface) FlagLine(flag);
  }

  void Token() {
    Line("token", "CreateRestrictedToken DISABLE_MAX_PRIVILEGE|LUA_TOKEN");
    Line("token", "deny only: BUILTIN\\Administrators");
    Line("token", "integrity: low (S-1-16-4096)");
    Line("token", "PROC_THREAD_ATTRIBUTE_HANDLE_LIST: stdin, stdout, stderr");
  }

  void Container() {
    Line("container",
         "ringfence-" + (plan_.profile.empty() ? "default" : Printable(plan_.profile)));
    if (!plan_.network.is_hosts()) {
      Line("container", "no capability");
      return;
    }
    for (const char* name : kCapabilities) Line("container", std::string("capability ") + name);
  }

  void Entry(std::string_view kind, std::string_view rights, const Path& path, bool is_directory) {
    Line("acl", std::string(kind) + " " + std::string(rights) + (is_directory ? kInherited : "") +
                    " " + Printable(WindowsPath(path.text())));
  }

  void Entries(std::string_view kind, std::string_view rights,
               const std::vector<PlannedPlace>& places) {
    for (const PlannedPlace& place : places) {
      Entry(kind, rights, place.path, place.kind == PlannedPlace::Kind::kDirectory);
    }
  }

  // Windows evaluates deny entries before allow entries, and own entries before inherited ones.
  void Files() {
    if (plan_.reads_all)
      Line("acl", std::string("allow FILE_GENERIC_READ|EXECUTE") + kInherited + " every volume");
    Entries("allow", "FILE_GENERIC_READ|EXECUTE", plan_.readable);
    Entries("allow", "FILE_ALL_ACCESS-WRITE_DAC-WRITE_OWNER", plan_.writable);
    Entries("deny", "FILE_GENERIC_WRITE|DELETE|FILE_DELETE_CHILD", plan_.sealed);
    for (const HiddenPlace& place : plan_.hidden) {
      const bool is_directory = place.kind == PlannedPlace::Kind::kDirectory;
      Entry("deny", "FILE_ALL_ACCESS", place.path, is_directory);
      for (const Path& kept : place.kept) {
        Entry("allow", "FILE_GENERIC_READ|EXECUTE", kept, true);
      }
    }
    if (plan_.private_tmp) Line("acl", "temporary files: the container's own AC\\Temp");
    for (const GuardedName& name : plan_.names.rules()) {
      Line(
          "name",
          Printable(WindowsPath(name.text())) +
              (name.except.empty() ? "" : " but " + Printable(WordList(name.except).Joined(", "))));
    }
    for (const std::vector<GuardedName>& list : plan_.names.allow_only()) {
      const auto name = [](const GuardedName& n) { return Printable(WindowsPath(n.text())); };
      Line("only", list.empty() ? "nothing" : Joined(list, " ", name));
    }
  }

  void Filters(const char* action, const char* const (&layers)[2], const char* condition) {
    for (const char* layer : layers) {
      Line("firewall", std::string(action) + " " + layer +
                           " FWPM_CONDITION_ALE_PACKAGE_ID=container" + condition);
    }
  }

  void Firewall() {
    if (plan_.network.is_hosts()) {
      Line("firewall", "no filter: the host's network");
      return;
    }
    constexpr const char* kLoopback = " FWP_CONDITION_FLAG_IS_LOOPBACK weight=15";
    Filters("FWP_ACTION_PERMIT", kConnectLayers, kLoopback);
    Filters("FWP_ACTION_PERMIT", kAcceptLayers, kLoopback);
    Filters("FWP_ACTION_BLOCK", kConnectLayers, " weight=0");
    Filters("FWP_ACTION_BLOCK", kAcceptLayers, " weight=0");
  }

  void Weaker() {
    for (const std::string& note : plan_.weaker) Line("weaker", Printable(note));
    if (!plan_.is_confined() || plan_.names.rules().empty()) return;
    Line("weaker",
         "a name that does not exist has no access control list: each \"name\" needs a "
         "file system filter, or it is looked at when the command has ended");
  }

  const SandboxPlan& plan_;
  std::string text_;
};

}  // namespace

std::string WindowsPlan(const SandboxPlan& plan) { return WindowsText(plan).Write(); }

}  // namespace ringfence
