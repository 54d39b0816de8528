#include "base/text.h"
#include "sandbox/private_folders.h"
#include "sandbox/render.h"
#include "sandbox/sbpl_text.h"
#include "sandbox/seatbelt_names.h"

namespace ringfence {
namespace {

// Creating, changing, moving and removing. Hard links are a separate operation: without a rule for
// it, a file outside could get a name inside.
constexpr std::string_view kWrites = "file-write* file-link";

// Writable devices that store nothing. Terminals that the command opens itself have the extension
// (as in codex's base policy); those of other programs do not.
constexpr std::string_view kDevices[] = {
    "(literal \"/dev/null\")",
    "(literal \"/dev/zero\")",
    "(literal \"/dev/tty\")",
    "(literal \"/dev/ptmx\")",
    "(literal \"/dev/dtracehelper\")",
    "(regex \"^/dev/fd/[0-9]+$\")",
    "(require-all (regex \"^/dev/ttys[0-9]+$\") (extension \"com.apple.sandbox.pty\"))"};

// Paths that system programs need to start. dyld reads the root directory at every start.
constexpr std::string_view kSystemReads[] = {"(literal \"/\")",
                                             "(subpath \"/usr\")",
                                             "(subpath \"/bin\")",
                                             "(subpath \"/sbin\")",
                                             "(subpath \"/System\")",
                                             "(subpath \"/Library/Apple\")",
                                             "(subpath \"/Library/Developer\")",
                                             "(subpath \"/opt/homebrew\")",
                                             "(subpath \"/private/etc\")",
                                             "(subpath \"/private/var/db/dyld\")",
                                             "(subpath \"/private/var/db/timezone\")",
                                             "(subpath \"/private/var/select\")",
                                             "(literal \"/private/var/db/xcode_select_link\")",
                                             "(literal \"/private/var/run/resolv.conf\")",
                                             "(literal \"/dev\")",
                                             "(literal \"/dev/random\")",
                                             "(literal \"/dev/urandom\")",
                                             "(literal \"/dev/autofs_nowait\")"};

// Services that start programs, open files or mount volumes for any client, outside the sandbox.
// trustd, securityd and cfprefsd are left out, so that TLS, keys and preferences keep working.
constexpr std::string_view kUnconfinedServices[] = {
    // LaunchServices: open(1)
    "com.apple.coreservices.launchservicesd", "com.apple.lsd.modifydb", "com.apple.lsd.open",
    "com.apple.lsd.openurl",
    // AppleEvents: osascript(1) that controls another program
    "com.apple.coreservices.appleevents",
    // ServiceManagement: jobs of launchd(8)
    "com.apple.xpc.smd",
    // Disk Arbitration and disk images
    "com.apple.DiskArbitration.DiskArbitrationAgent", "com.apple.DiskArbitration.diskarbitrationd",
    "com.apple.diskimagesiod.ram.xpc", "com.apple.diskimagesiod.xpc", "com.apple.diskimagespawner",
    "com.apple.diskimagespawner.xpc"};

// Services that talk to other hosts for any client.
constexpr std::string_view kNetworkServices[] = {"com.apple.dnssd.service",
                                                 "com.apple.nsurlsessiond"};

template <typename List>
std::vector<SeatbeltFilter> Fixed(const List& list) {
  std::vector<SeatbeltFilter> filters;
  for (const std::string_view filter : list) filters.push_back({std::string(filter), ""});
  return filters;
}

template <typename List>
std::vector<SeatbeltFilter> Services(const List& list) {
  std::vector<SeatbeltFilter> filters;
  for (const std::string_view name : list) {
    filters.push_back({"(global-name " + SbplString(name) + ")", ""});
  }
  return filters;
}

class Profile {
 public:
  Profile(const SandboxPlan& plan, uint16_t proxy_port) : plan_(plan), proxy_port_(proxy_port) {}

  std::string Write() {
    Line("(version 1)");
    Line("; The last rule that matches counts, but a rule that names an operation goes before one");
    Line("; with a star: both orders come to the same here. Files have the names that the kernel");
    Line("; has for them, without links.");
    Line("(allow default)");
    if (!plan_.is_confined()) return std::move(text_);
    if (plan_.stage.is_elsewhere) {
      Title("The command of a stage works in a copy of the project, which has the project's place");
      Line("; in these rules.");
    }
    Writes();
    Reads();
    OtherPrograms();
    Network();
    return std::move(text_);
  }

 private:
  void Line(std::string_view line) { text_ += std::string(line) + "\n"; }
  void Title(std::string_view title) { Line("\n; " + std::string(title)); }

  void Rule(std::string_view action, std::string_view operations,
            const std::vector<SeatbeltFilter>& filters) {
    if (filters.empty()) return;
    Line("(" + std::string(action) + " " + std::string(operations));
    for (const SeatbeltFilter& filter : filters) {
      Line("  " + filter.text + (filter.why.empty() ? "" : "  ; " + Printable(filter.why)));
    }
    Line(")");
  }

  void Writes() {
    Title("Writing: nothing but what is allowed.");
    Line("(deny " + std::string(kWrites) + ")");
    Rule("allow", kWrites, PlaceFilters(plan_.writable));
    if (!plan_.names.allow_only().empty()) {
      Line("; Of that only what a pattern of each list covers.");
    }
    for (const std::vector<GuardedName>& list : plan_.names.allow_only()) {
      Rule("deny", kWrites, {NotAllowedFilter(list)});
    }
    Rule("allow", "file-write*", Fixed(kDevices));
    const SeatbeltNames names(plan_);
    if (!names.refused().empty()) {
      Title("Names that may not be written, whether or not they exist.");
      Rule("deny", kWrites, PlaceFilters(plan_.sealed));
      Rule("deny", kWrites, names.refused());
    }
    if (!names.beginnings().empty()) {
      Title(
          "Directories that may not be created, moved or removed, since files in them would get "
          "such a name.");
      Rule("deny", "file-write-create file-write-unlink", names.beginnings());
    }
    if (!plan_.private_tmp) return;
    Title("The command's own temporary directory, where no name is refused.");
    Rule("allow", "file-write* file-link file-write-create file-write-unlink",
         {SubpathFilter(PrivateTmp(plan_))});
  }

  void Reads() {
    if (!plan_.reads_all) ListedReads();
    if (!plan_.hidden.empty()) {
      Title("Hidden: neither read nor moved to where it could be read.");
      for (const HiddenPlace& place : plan_.hidden) Hide(place);
      Rule("deny", "file-write-unlink", HiddenParents(plan_));
    }
    Title("Terminals of other programs.");
    Line("(deny file-read*");
    Line("  (require-all (regex \"^/dev/ttys[0-9]+$\")");
    Line("    (require-not (extension \"com.apple.sandbox.pty\"))))");
  }

  void ListedReads() {
    Title("Reading: what is listed, and what programs of the system need to start.");
    Line("(deny file-read*)");
    Rule("allow", "file-read*", Fixed(kSystemReads));
    Rule("allow", "file-read*", Fixed(kDevices));
    std::vector<SeatbeltFilter> listed = PlaceFilters(plan_.readable);
    const std::vector<SeatbeltFilter> writable = PlaceFilters(plan_.writable);
    listed.insert(listed.end(), writable.begin(), writable.end());
    if (plan_.private_tmp) listed.push_back(SubpathFilter(PrivateTmp(plan_)));
    Rule("allow", "file-read*", listed);
    Line("; realpath(3) asks for every directory on the way.");
    Rule("allow", "file-read-metadata", ListedParents(plan_));
  }

  void Hide(const HiddenPlace& place) {
    // What is kept is left out: a rule that allowed it again would also count for what is hidden in
    // it, and for names that may not be removed.
    const SeatbeltFilter whole = HiddenFilter(place);
    // clonefile(2) copies a file without reading it.
    Rule("deny", "file-read* file-clone file-link file-write-unlink",
         {place.kept.empty() ? whole : WithoutKept(whole, place.kept)});
    if (!place.kept.empty()) Rule("allow", "file-read-metadata", KeptParents(place));
  }

  void OtherPrograms() {
    Title("Programs that would run unconfined. No confined program executes a setuid one: the");
    Line("; kernel refuses it under every profile (forbidden-exec-sugid).");
    Line("(deny job-creation)");
    Line("(deny lsopen)");
    Line("(deny appleevent-send)");
    Rule("deny", "mach-lookup", Services(kUnconfinedServices));
    Line("; cfprefsd writes any program's preferences, some of which name commands.");
    Line("(deny user-preference-write)");
    Line("(deny file-mount file-unmount)");
    Title("Other programs' processes, and input that is put into the terminal (TIOCSTI).");
    for (const char* operation : {"signal", "process-info*", "mach-priv-task-port"}) {
      Line("(deny " + std::string(operation) + ")");
      Line("(allow " + std::string(operation) + " (target same-sandbox))");
    }
    Line("(deny file-ioctl (ioctl-command TIOCSTI))");
  }

  void Network() {
    if (!plan_.network.is_hosts()) {
      Title(plan_.network.is_by_port() ? "Network: the egress proxy only."
                                       : "Network: the loopback only.");
      Line("(deny network*)");
      Line("(allow network-bind (local ip \"localhost:*\"))");
      Line("(allow network-inbound (local ip \"localhost:*\"))");
      Outbound();
      Rule("deny", "mach-lookup", Services(kNetworkServices));
      Title(
          "Unix sockets: connecting to one is network to Seatbelt, and no rule for files counts.");
    } else {
      Title("Network: the host's, but for Unix sockets. Connecting to one is network to Seatbelt.");
      Line("(deny network-bind (local unix-socket))");
      Line("(deny network-outbound (remote unix-socket))");
      Line("; names of hosts");
      Line(
          "(allow network-outbound (remote unix-socket (literal "
          "\"/private/var/run/mDNSResponder\")))");
    }
    Sockets("allow", "network-bind", "local");
    Sockets("allow", "network-outbound", "remote");
  }

  void Outbound() {
    if (!plan_.network.is_by_port()) {
      return Line("(allow network-outbound (remote ip \"localhost:*\"))");
    }
    if (proxy_port_ == 0) return Line("; its port is known once the command starts");
    Line("(allow network-outbound (remote ip \"localhost:" + std::to_string(proxy_port_) + "\"))");
  }

  // Adds rules for sockets in the command's own directories; denies the host's sockets.
  void Sockets(std::string_view action, std::string_view operation, std::string_view side) {
    std::vector<SeatbeltFilter> places = PlaceFilters(plan_.writable);
    if (plan_.private_tmp) places.push_back(SubpathFilter(PrivateTmp(plan_)));
    for (SeatbeltFilter& place : places) {
      place.text = "(" + std::string(side) + " unix-socket " + place.text + ")";
      place.why.clear();
    }
    Rule(action, operation, places);
    std::vector<SeatbeltFilter> hosts;
    for (const Path& socket : plan_.sockets) {
      const SeatbeltFilter filter = LiteralFilter(socket);
      hosts.push_back({"(" + std::string(side) + " unix-socket " + filter.text + ")", ""});
    }
    Rule("deny", operation, hosts);
  }

  const SandboxPlan& plan_;
  uint16_t proxy_port_;
  std::string text_;
};

}  // namespace

std::string SeatbeltProfile(const SandboxPlan& plan, uint16_t proxy_port) {
  return Profile(plan, proxy_port).Write();
}

}  // namespace ringfence
