#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/path.h"
#include "base/result.h"
#include "base/text.h"
#include "cli/command_line/command.h"
#include "cli/command_line/options.h"
#include "cli/common/assumed_folder.h"
#include "cli/common/policies.h"
#include "cli/common/since.h"
#include "cli/log/anchors.h"
#include "cli/log/log_files.h"
#include "cli/log/log_line.h"
#include "cli/log/sink.h"
#include "cli/log/verify.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "run/messages.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

// The options of `log` and its subcommands; each declares those that it has.
struct LogOptions {
  Registration given;
  bool json = false;
  std::string file;
  std::vector<std::string> anchors;
  std::string anchored_as;
  std::string to;
  std::string verdict;  // of `lines.filter`, as given
  SendOptions lines;    // which lines to show or to send
};

// Returns the log for a project without a policy of its own.
Result<Path> AuditFileWithoutProject(Registration given) {
  const RealFiles disk;
  const AssumedFolder files(disk, kNowhere);
  given.root.clear();
  given.project_dir = kNowhere;
  const Result<Context> context = FindTypedContext(given, files);
  return context ? AuditFileOn(*context) : context.error();
}

void AddWhichLog(Command& command, LogOptions& options) {
  Registration& given = options.given;
  command.AddOption("--file FILE", options.file,
                    "This log, instead of the one that the policy names");
  command.AddOption("--home DIR", given.home, "The home directory, instead of HOME");
  command.AddOption("--root DIR", given.root, "The project (default: the current directory)");
  command.AddOption("--policy FILE", given.policy,
                    "Use this policy instead of the user's and the project's");
}

// Returns the log of all the user's projects if no project is named and the current directory
// cannot be one.
Result<Path> FindLog(const LogOptions& options) {
  if (!options.file.empty()) return Path::Clean(Absolute(options.file));
  const Registration& given = options.given;
  Result<Path> file = AuditFileInForce(given);
  const bool may_be_elsewhere = !file && file.error().kind == Error::Kind::kUsage;
  return may_be_elsewhere && given.root.empty() ? AuditFileWithoutProject(given) : file;
}

// Converts the text of --since to the form of the log.
Status FindSince(std::string& since) {
  if (since.empty()) return Unit{};
  if (Status s = ReadSince(since).MoveTo(since); !s) return s.error();
  return Unit{};
}

class Shower {
 public:
  Shower(const Path& file, const LogOptions& options) : reader_(file), options_(options) {}

  Outcome Run() {
    const bool follows = options_.lines.follow;
    if (Status s = reader_.Open(follows); !s) return s.error();
    std::optional<Waiting> waiting;
    if (follows) waiting.emplace();
    is_tail_ = follows && options_.lines.filter.since.empty();
    do {
      if (Status s = ShowAll(waiting); !s) return s.error();
    } while (waiting && waiting->For(kPoll, true));
    if (foreign_ > 0) {
      Say(std::to_string(foreign_) + (foreign_ == 1 ? " line is" : " lines are") +
          " torn or foreign, and not shown");
    }
    return 0;
  }

 private:
  // Shows the lines so far. When waiting for more, leaves out a last line that is still incomplete.
  Status ShowAll(const std::optional<Waiting>& waiting) {
    while (!waiting || !waiting->is_over()) {
      const Result<std::optional<LogLine>> line = reader_.Next();
      if (!line) return line.error();
      if (!*line) break;
      Show(**line);
    }
    ShowTail();
    if (const std::optional<LogLine> rest = waiting ? std::nullopt : reader_.Rest()) Show(*rest);
    if (std::fflush(stdout) == 0) return Unit{};
    return Error{Error::Kind::kSystem, "standard output", "could not be written", ""};
  }

  void Show(const LogLine& line) {
    SayWhereApart(line);
    const std::optional<AuditEntry> entry = line.is_cut ? std::nullopt : ReadLogLine(line.text);
    if (!entry) {
      ++foreign_;
      return;
    }
    if (!options_.lines.filter.Wants(*entry)) return;
    if (!options_.json) return Put(ShowLogEntry(*entry, console_));
    Put(is_terminal_ ? Printable(line.text) : std::string(line.text));
  }

  void Put(std::string text) {
    if (!is_tail_) return console_.Line(text);
    tail_.push_back(std::move(text));
    if (tail_.size() > kTailLines) tail_.pop_front();
  }

  // From here on, lines are new.
  void ShowTail() {
    if (!std::exchange(is_tail_, false)) return;
    for (const std::string& text : tail_) console_.Line(text);
    tail_.clear();
  }

  static constexpr size_t kTailLines = 10;  // as tail(1) has it

  LogReader reader_;
  const LogOptions& options_;
  Console console_;
  bool is_terminal_ = ::isatty(STDOUT_FILENO) == 1;
  uint64_t foreign_ = 0;
  bool is_tail_ = false;  // of the lines so far, only the last are shown
  std::deque<std::string> tail_;
};

Outcome ShowLog(LogOptions& options) {
  if (Status s = FindSince(options.lines.filter.since); !s) return s.error();
  const Result<Path> file = FindLog(options);
  if (!file) return file.error();
  options.lines.filter.verdict = VerdictNamed(options.verdict);
  return Shower(*file, options).Run();
}

Outcome Verify(const LogOptions& options) {
  const Result<Path> file = FindLog(options);
  if (!file) return file.error();
  LogReader reader(*file);
  if (Status s = reader.Open(); !s) return s.error();
  struct stat facts {};
  const bool is_there = ::lstat(file->text().c_str(), &facts) == 0;
  const uint32_t owner = is_there ? facts.st_uid : ::getuid();
  Anchors anchors(options.anchored_as.empty() ? file->text() : options.anchored_as);
  for (const std::string& source : options.anchors) {
    if (Status s = ReadAnchors(source, owner, anchors); !s) return s.error();
  }
  const Result<LogReport> report = CheckLog(reader, options.anchors.empty() ? nullptr : &anchors);
  if (!report) return report.error();
  if (options.json) {
    PrintJson(ReportJson(*report));
  } else {
    const Console console;
    console.Line(ReportText(*report, console));
  }
  return report->is_sound() ? 0 : 1;
}

Outcome Send(LogOptions& options) {
  const Result<LogTarget> target = ReadLogTarget(options.to);
  if (!target) return target.error();
  if (Status s = FindSince(options.lines.filter.since); !s) return s.error();
  const Result<Path> file = FindLog(options);
  if (!file) return file.error();
  const Result<std::unique_ptr<LogSink>> sink = MakeSink(*target);
  if (!sink) return sink.error();
  return SendLog(*file, **sink, options.lines);
}

constexpr const char* kConnectionExamples =
    "  ringfence proxy log --since 10m --verdict deny\n"
    "  ringfence proxy log --follow";

void AddSince(Command& command, std::string& since) {
  command.AddOption("--since TIME", since,
                    "Only since then: 10m, 2h, 3d, or a time in UTC as it is printed");
}

constexpr const char* kShowExamples =
    "  ringfence log --since 2h --verdict deny\n"
    "  ringfence log --follow --tool 'mcp__*'\n"
    "  ringfence log --json --session 0f3a | jq .paths\n"
    "  ringfence log verify --anchors journal    (was it changed?)\n"
    "  ringfence log send --to syslog://logs.example:514 --follow --state ~/.cache/log-sent";

constexpr const char* kVerifyExamples =
    "  ringfence log verify\n"
    "  ringfence log verify --anchors journal --anchors /var/log/auth.log\n"
    "Exit status: 0 intact, 1 changed, 2 invalid input.";

constexpr const char* kSendExamples =
    "  ringfence log send --to journald --since 1d\n"
    "  ringfence log send --to syslog://logs.example:514 --follow --state ~/.cache/log-sent\n"
    "  ringfence log send --to syslog+udp://[::1]:514";

void AddVerify(Command& log, Action& chosen) {
  Command command = AddCommand(log, "verify", "Check the log's chain of digests and its anchors",
                               kVerifyExamples);
  const auto options = std::make_shared<LogOptions>();
  AddWhichLog(command, *options);
  command
      .AddOption("--anchors SOURCE", options->anchors,
                 "\"journal\", \"journal:DIR\", or a file that syslog wrote")
      .OneEach()
      .NotEmpty();
  command.AddOption("--anchored-as FILE", options->anchored_as,
                    "The log's name in its anchors, if it was written elsewhere");
  command.AddFlag("--json", options->json, "Print the result as JSON");
  command.OnGiven([options, &chosen] { chosen = [options] { return Verify(*options); }; });
}

void AddSend(Command& log, Action& chosen) {
  Command command =
      AddCommand(log, "send", "Send the lines to journald or a syslog server", kSendExamples);
  const auto options = std::make_shared<LogOptions>();
  AddWhichLog(command, *options);
  command
      .AddOption("--to PLACE", options->to,
                 "journald, syslog://HOST:PORT (TCP) or syslog+udp://HOST:PORT")
      .Required();
  command.AddFlag("--follow", options->lines.follow, "Keep running and send new lines");
  AddSince(command, options->lines.filter.since);
  command.AddOption("--state FILE", options->lines.state,
                    "Remember the position in this file, and continue there the next time");
  command.OnGiven([options, &chosen] { chosen = [options] { return Send(*options); }; });
}

}  // namespace

void AddConnectionLog(Command& proxy, Action& chosen) {
  Command command =
      AddCommand(proxy, "log", "Show the connections in the log", kConnectionExamples);
  const auto options = std::make_shared<LogOptions>();
  AddWhichLog(command, *options);
  LogFilter& filter = options->lines.filter;
  filter.event = "Connection";
  command.AddFlag("--follow", options->lines.follow,
                  "Show the last 10 lines, or those since --since, and then new ones");
  command.AddOption("--verdict VERDICT", options->verdict, "Only this verdict")
      .OneOf({"permit", "deny"});
  command.AddOption("--session SESSION", filter.session, "Only sessions whose id begins with this");
  AddSince(command, filter.since);
  command.AddFlag("--json", options->json, "Print the lines as they are in the file");
  command.OnGiven([options, &chosen] { chosen = [options] { return ShowLog(*options); }; });
}

void AddLog(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "log", "Show, verify and forward the log of decisions", kShowExamples);
  const auto options = std::make_shared<LogOptions>();
  AddWhichLog(command, *options);
  LogFilter& filter = options->lines.filter;
  command.AddFlag("--follow", options->lines.follow,
                  "Show the last 10 lines, or those since --since, and then new ones");
  command.AddOption("--tool TOOL", filter.tool, "Only this tool; * for any text");
  command.AddOption("--verdict VERDICT", options->verdict, "Only this verdict")
      .OneOf({"permit", "ask", "deny", "error", "alert"});
  command.AddOption("--session SESSION", filter.session, "Only sessions whose id begins with this");
  command.AddOption("--agent AGENT", filter.agent, "Only this type or id of subagent; * for any");
  command.AddOption("--stage ID", filter.stage, "Only stages whose id begins with this");
  AddSince(command, options->lines.filter.since);
  command.AddFlag("--json", options->json, "Print the lines as they are in the file");
  AddVerify(command, chosen);
  AddSend(command, chosen);
  command.MayHaveCommand();
  command.OnGiven([command, options, &chosen] {
    if (!command.has_command()) {
      chosen = [options] { return ShowLog(*options); };
      return;
    }
    // The subcommand ignores options in front of it: it would send everything, without the filters.
    const std::string given = command.first_given();
    if (!given.empty())
      RefuseUsage(given + " belongs after \"verify\" or \"send\", if they have it");
  });
}

}  // namespace ringfence
