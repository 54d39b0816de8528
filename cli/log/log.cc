#include "cli/log/log.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/ground_options.h"
#include "cli/log/anchors.h"
#include "cli/log/log_files.h"
#include "cli/log/log_line.h"
#include "cli/log/send.h"
#include "cli/log/verify.h"
#include "cli/log/waiting.h"
#include "cli/since.h"
#include "run/ground.h"
#include "run/messages.h"

namespace ringfence {
namespace {

constexpr int kPoll = 250;  // milliseconds

struct WhichLog {
  GroundOptions ground;
  std::string file;
};

struct ShowOptions {
  WhichLog log;
  LogFilter filter;
  std::string since;
  bool follow = false;
};

struct VerifyOptions {
  WhichLog log;
  std::vector<std::string> anchors;
  std::string anchored_as;
};

struct SendCommand {
  WhichLog log;
  std::string to;
  std::string since;
  SendOptions options;
};

Result<Path> FindLog(const WhichLog& log) {
  if (!log.file.empty()) return Path::Clean(Absolute(log.file));
  return AuditFileInForce(log.ground);
}

Result<std::string> Since(const std::string& text) {
  if (text.empty()) return std::string();
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return ReadSince(text, static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec);
}

class Shower {
 public:
  Shower(const Path& file, const ShowOptions& options, std::string since)
      : reader_(file), options_(options), filter_(options.filter) {
    filter_.since = std::move(since);
  }

  Outcome Run() {
    if (Status s = reader_.Open(options_.follow); !s) return s.error();
    std::optional<Waiting> waiting;
    if (options_.follow) waiting.emplace();
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
  // What there is for now; a line that is not whole yet may become so.
  Status ShowAll(const std::optional<Waiting>& waiting) {
    while (!waiting || !waiting->is_over()) {
      const Result<std::optional<LogLine>> line = reader_.Next();
      if (!line) return line.error();
      if (!*line) break;
      Show(**line);
    }
    if (const std::optional<LogLine> rest = waiting ? std::nullopt : reader_.Rest()) Show(*rest);
    if (std::fflush(stdout) == 0) return Unit{};
    return Error{Error::Kind::kSystem, "stdout", "the log could not be written", ""};
  }

  void Show(const LogLine& line) {
    const std::optional<LogEntry> entry = line.is_cut ? std::nullopt : ReadLogEntry(line.text);
    if (!entry) {
      ++foreign_;
      return;
    }
    if (!filter_.Wants(*entry)) return;
    if (!options_.log.ground.common.json) return console_.Line(ShowLogEntry(*entry, console_));
    console_.Line(is_terminal_ ? Printable(line.text) : line.text);
  }

  LogReader reader_;
  const ShowOptions& options_;
  LogFilter filter_;
  Console console_;
  bool is_terminal_ = ::isatty(STDOUT_FILENO) == 1;
  uint64_t foreign_ = 0;
};

Outcome Show(const ShowOptions& options) {
  const Result<std::string> since = Since(options.since);
  if (!since) return since.error();
  const Result<Path> file = FindLog(options.log);
  if (!file) return file.error();
  return Shower(*file, options, *since).Run();
}

Outcome Verify(const VerifyOptions& options) {
  const Result<Path> file = FindLog(options.log);
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
  if (options.log.ground.common.json) {
    PrintJson(ReportJson(*report));
  } else {
    const Console console;
    console.Line(ReportText(*report, console));
  }
  return report->is_sound() ? 0 : 1;
}

Outcome Send(SendCommand& command) {
  const Result<LogTarget> target = ReadLogTarget(command.to);
  if (!target) return target.error();
  const Result<std::string> since = Since(command.since);
  if (!since) return since.error();
  command.options.filter.since = *since;
  const Result<Path> file = FindLog(command.log);
  if (!file) return file.error();
  const Result<std::unique_ptr<LogSink>> sink = MakeSink(*target);
  if (!sink) return sink.error();
  return SendLog(*file, **sink, command.options);
}

void AddWhichLog(Command& command, WhichLog& log) {
  GroundOptions& ground = log.ground;
  command.AddOption("--file", log.file, "This log, instead of the one that the policy names")
      .Type("FILE");
  command.AddOption("--home", ground.common.home, "The home directory, instead of HOME")
      .Type("DIR");
  command.AddOption("--root", ground.root, "The project (default: the current directory)")
      .Type("DIR");
  command.AddOption("--policy", ground.policy, "This policy instead of the user's and project's")
      .Type("FILE");
}

void AddSince(Command& command, std::string& since) {
  command
      .AddOption("--since", since,
                 "Only from then on: 10m, 2h, 3d, or a time in UTC as it is shown")
      .Type("TIME");
}

constexpr const char* kShowExamples =
    "  ringfence log --since 2h --verdict deny\n"
    "  ringfence log --follow --tool 'mcp__*'\n"
    "  ringfence log --json --session 0f3a | jq .paths\n"
    "  ringfence log verify --anchors journal    (is it as it was written?)\n"
    "  ringfence log send --to syslog://logs.example:514 --follow --state ~/.cache/log-sent";

constexpr const char* kVerifyExamples =
    "  ringfence log verify\n"
    "  ringfence log verify --anchors journal --anchors /var/log/auth.log\n"
    "Exit status: 0 sound, 1 not, 2 unusable input.";

constexpr const char* kSendExamples =
    "  ringfence log send --to journald --since 1d\n"
    "  ringfence log send --to syslog://logs.example:514 --follow --state ~/.cache/log-sent\n"
    "  ringfence log send --to syslog+udp://[::1]:514";

void AddVerify(Command& log, Action& chosen) {
  Command command = AddCommand(log, "verify", "Follow the digests, and hold them against anchors",
                               kVerifyExamples);
  const auto options = std::make_shared<VerifyOptions>();
  AddWhichLog(command, options->log);
  command
      .AddOption("--anchors", options->anchors,
                 "\"journal\", \"journal:DIR\", or a file that syslog wrote")
      .Type("SOURCE")
      .OneEach();
  command
      .AddOption("--anchored-as", options->anchored_as,
                 "What anchors call the log, where it was written elsewhere")
      .Type("FILE");
  command.AddFlag("--json", options->log.ground.common.json, "Print the result as JSON");
  command.OnGiven([options, &chosen] { chosen = [options] { return Verify(*options); }; });
}

void AddSend(Command& log, Action& chosen) {
  Command command =
      AddCommand(log, "send", "Hand the lines on to journald or a syslog server", kSendExamples);
  const auto options = std::make_shared<SendCommand>();
  AddWhichLog(command, options->log);
  command
      .AddOption("--to", options->to,
                 "journald, syslog://HOST:PORT (TCP) or syslog+udp://HOST:PORT")
      .Required()
      .Type("PLACE");
  command.AddFlag("--follow", options->options.follow, "Go on with what is written later");
  AddSince(command, options->since);
  command
      .AddOption("--state", options->options.state,
                 "Keep the place in this file, and begin behind it the next time")
      .Type("FILE");
  command.OnGiven([options, &chosen] { chosen = [options] { return Send(*options); }; });
}

}  // namespace

void AddLog(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "log", "Show, verify and hand on the log of decisions", kShowExamples);
  const auto options = std::make_shared<ShowOptions>();
  AddWhichLog(command, options->log);
  LogFilter& filter = options->filter;
  command.AddFlag("--follow", options->follow, "Go on with what is written later");
  command.AddOption("--tool", filter.tool, "Only this tool; * for any text").Type("TOOL");
  command.AddOption("--verdict", filter.verdict, "Only this verdict")
      .OneOf({"permit", "ask", "deny", "error", "alert"})
      .Type("VERDICT");
  command.AddOption("--session", filter.session, "Only sessions that begin so").Type("SESSION");
  command.AddOption("--agent", filter.agent, "Only this kind or number of subagent; * for any")
      .Type("AGENT");
  AddSince(command, options->since);
  command.AddFlag("--json", options->log.ground.common.json, "Pass the lines on as they are");
  AddVerify(command, chosen);
  AddSend(command, chosen);
  command.MayHaveCommand();
  command.OnGiven([command, options, &chosen] {
    if (command.has_command()) return;
    chosen = [options] { return Show(*options); };
  });
}

}  // namespace ringfence
