#include <sys/stat.h>
#include <unistd.h>

#include "base/contains.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/common/confinement.h"
#include "cli/common/init_command.h"
#include "cli/doctor/rows.h"
#include "policy/files/real_files.h"
#include "policy/load/trust.h"
#include "run/request.h"
#include "sandbox/backend.h"

namespace ringfence {
namespace {

constexpr int kNotSetUp = 125;

class SandboxDoctor {
 public:
  SandboxDoctor(const Patient& patient, DoctorRows& rows) : patient_(patient), rows_(rows) {}

  void Run() {
    const SandboxRules& rules = patient_.policy->sandbox;
    demanded_ = rules.missing == SandboxMissing::kRefuse && rules.mode != SandboxMode::kRwx;
    LookAtKernel();
    for (const SandboxLayers layers : {SandboxLayers::kFull, SandboxLayers::kLandlock}) {
      Try(layers, demanded_ && layers == rules.layers);
    }
    LookAtPlan();
    LookAtCommands();
  }

 private:
  void Add(Health health, std::string text, std::string fix = "") {
    rows_.push_back({health, "sandbox", std::move(text), std::move(fix)});
  }

  void LookAtKernel() {
    const HostFacts facts = ProbeHost(patient_.policy->sandbox);
    std::string text =
        facts.kernel + ", Landlock " +
        (facts.landlock_abi == 0 ? "absent" : "ABI " + std::to_string(facts.landlock_abi));
    if (facts.is_inside) text += "; this runs inside a ringfence sandbox";
    if (facts.landlock_abi > 0) return Add(Health::kGood, text);
    Add(demanded_ ? Health::kMissing : Health::kWeak, text,
        "use Linux 5.13 or later, with \"landlock\" in /sys/kernel/security/lsm");
  }

  // The arguments of a run in the project, which --root can place outside the current directory.
  std::vector<std::string> RunLine(SandboxLayers layers) const {
    const std::string& root = patient_.context->places.root.text();
    std::vector<std::string> line{"run",    "--home",   patient_.where.home,
                                  "--root", root,       "--chdir",
                                  root,     "--layers", std::string(LayersName(layers)),
                                  "--trial"};
    if (!patient_.policy_option.empty()) {
      line.insert(line.end(), {"--policy", patient_.policy_option});
    }
    const std::string& profile = patient_.context->registration.profile;
    if (!profile.empty()) line.insert(line.end(), {"--profile", profile});
    line.emplace_back("--");
    return line;
  }

  Result<Finished> Start(SandboxLayers layers, std::vector<std::string> command) const {
    std::vector<std::string> line = RunLine(layers);
    line.insert(line.end(), command.begin(), command.end());
    return ringfence::Run({.program = patient_.ringfence,
                           .arguments = std::move(line),
                           .environment = {"HOME=" + patient_.where.home, "PATH=/usr/bin:/bin"},
                           .limit = std::chrono::seconds(30)});
  }

  // Runs a command that must succeed, and one that must fail to write to a protected file.
  void Try(SandboxLayers layers, bool is_demanded) {
    const std::string name = "layers \"" + std::string(LayersName(layers)) + "\": ";
    const Health bad = is_demanded ? Health::kMissing : Health::kWeak;
    const Result<Finished> plain = Start(layers, {"/bin/sh", "-c", "echo $RINGFENCE_SANDBOX"});
    if (!plain) return Add(bad, name + plain.error().text());
    if (plain->exit_status != 0) {
      const std::string what = plain->exit_status == kNotSetUp
                                   ? "cannot be set up here"
                                   : "a command ended with " + std::to_string(plain->exit_status);
      return Add(bad, name + what + ": " + Printable(CauseIn(plain->err)), HintOf(plain->err));
    }
    // With "missing": "warn" the command may have run with fewer layers.
    const std::string lacks = NotEnforcedIn(plain->err);
    const bool is_confined = patient_.policy->sandbox.mode != SandboxMode::kRwx;
    if (is_confined && (!lacks.empty() || FirstLine(plain->out) != LayersName(layers))) {
      return Add(Health::kWeak, name + "not as a whole: " + Printable(lacks));
    }
    works_.push_back(layers);
    const std::string target = ProtectedFile();
    if (target.empty()) return Add(Health::kGood, name + "works: a command ran");
    // Opens the file for writing but writes nothing: even if that succeeds, it stays unchanged.
    const Result<Finished> write =
        Start(layers, {"/bin/dd", "if=/dev/null", "of=" + target, "conv=notrunc,nocreat"});
    if (!write) return Add(bad, name + write.error().text());
    if (write->exit_status == 0) {
      return Add(Health::kMissing, name + "a command could write " + Quote(target),
                 "report this: it must never be so");
    }
    Add(Health::kGood, name + "works: a command ran, and could not write " + Quote(target));
  }

  // Returns a file that this user can write, but that no policy permits an agent to write; "" if
  // none exists yet.
  std::string ProtectedFile() const {
    const std::string& home = patient_.where.home;
    std::vector<std::string> files = {ApprovalsPath(home), TrustStorePath(home)};
    for (const PolicySource& source : patient_.context->sources.sources) {
      files.push_back(source.file->path);
    }
    for (const SettingsFile& file : patient_.settings) files.push_back(file.path);
    for (const std::string& file : files) {
      struct stat facts {};
      const bool is_plain = ::lstat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
      if (is_plain && ::access(file.c_str(), W_OK) == 0) return file;
    }
    return "";
  }

  // Returns the message about what the run did not enforce, or "".
  static std::string NotEnforcedIn(std::string_view text) {
    constexpr std::string_view kStart = "not enforced: ";
    const size_t at = text.find(kStart);
    return at == std::string_view::npos ? "" : FirstLine(text.substr(at));
  }
  static std::string FirstLine(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
  }
  // Returns why the run ended: the first line after its warnings.
  static std::string CauseIn(std::string_view text) {
    constexpr std::string_view kWarning = "ringfence: warning: ";
    while (text.starts_with(kWarning) && text.find('\n') != std::string_view::npos) {
      text.remove_prefix(text.find('\n') + 1);
    }
    return FirstLine(text);
  }
  static std::string HintOf(std::string_view text) {
    constexpr std::string_view kHint = "Hint: ";
    const size_t at = text.find(kHint);
    return at == std::string_view::npos ? "" : Printable(FirstLine(text.substr(at + kHint.size())));
  }

  std::string_view NetworkText(const SandboxPlan& plan) const {
    if (plan.network.is_hosts()) return "the host's network";
    if (plan.network.is_proxied()) return "the hosts that it lists";
    return patient_.policy->network ? "no network"
                                    : "no network for commands: it has no \"network\" section";
  }

  // Reports the plan, and what the policy asks for but this host cannot provide.
  void LookAtPlan() {
    const RealFiles disk;
    const CachedFiles files(disk);
    RunOptions options;
    options.home = patient_.where.home;
    options.root = patient_.context->places.root.text();
    options.policy = patient_.policy_option;
    options.profile = patient_.context->registration.profile;
    options.command = {"/bin/true"};
    Result<RunRequest> request = ReadRequest(options, files, false);
    if (!request) return Add(Health::kMissing, request.error().text(), request.error().hint);
    request->command.cwd = request->context.places.root_real.text();
    const Result<SandboxPlan> plan =
        request->Plan(files, ProbeHostForReport(request->policy.sandbox));
    if (!plan) return Add(Health::kMissing, plan.error().text(), plan.error().hint);
    const bool works = !plan->is_confined() || Works(plan->layers);
    const Health health = works ? Health::kGood : demanded_ ? Health::kMissing : Health::kWeak;
    Add(health, "the policy asks for mode \"" + std::string(ModeName(plan->mode)) +
                    "\", layers \"" + std::string(LayersName(plan->layers)) + "\"" +
                    (plan->profile.empty() ? "" : ", profile " + Quote(plan->profile)) + ", " +
                    std::string(NetworkText(*plan)) +
                    (works       ? ""
                     : demanded_ ? ", and no command runs without them"
                                 : ", and commands run with fewer"));
    for (const std::string& narrower : plan->narrower) Add(Health::kWeak, narrower);
    for (const std::string& weaker : plan->weaker) {
      const bool is_unmet = Contains(plan->unmet, weaker);
      Add(is_unmet && demanded_ ? Health::kMissing : Health::kWeak, weaker,
          is_unmet ? "provide it, or remove the limit from the policy" : "");
    }
  }

  void LookAtCommands() {
    const bool wraps = patient_.policy->wrap_bash;
    const Confinement confinement = wraps ? WrappedConfinement(patient_.policy->sandbox.mode)
                                          : CheckConfinement(patient_.settings, FindSandboxTools());
    const Health bad = wraps ? Health::kMissing : Health::kWeak;
    const bool lacks_tools = !wraps && !FindSandboxTools().missing.empty();
    rows_.push_back(
        {confinement.is_confined ? Health::kGood : bad, "commands", confinement.sentence,
         confinement.is_confined ? ""
         : lacks_tools ? "install what the client's sandbox needs (apt install bubblewrap "
                         "socat), or write \"bash\": {\"wrap\": true} in the policy"
                       : "write \"bash\": {\"wrap\": true} in the policy, or run " +
                             InitCommandInForce(patient_.settings, {}, patient_.where) +
                             " to switch the client's sandbox on, or: ringfence run -- claude"});
    for (const std::string& hole : confinement.holes) {
      rows_.push_back({Health::kWeak, "commands", hole, ""});
    }
  }

  const Patient& patient_;
  DoctorRows& rows_;
  bool Works(SandboxLayers layers) const { return Contains(works_, layers); }

  bool demanded_ = true;
  std::vector<SandboxLayers> works_;  // layers that work in full
};

}  // namespace

void LookAtSandbox(const Patient& patient, DoctorRows& rows) { SandboxDoctor(patient, rows).Run(); }

}  // namespace ringfence
