// `ringfence stage`: declares the subcommands.
#include <memory>
#include <string>

#include "cli/command_line/command.h"
#include "cli/command_line/options.h"
#include "cli/stage/stage_options.h"

namespace ringfence {
namespace {

constexpr const char* kStageExamples =
    "  ringfence stage run -- npm install\n"
    "  ringfence stage              (or: ringfence stage list)\n"
    "  ringfence stage diff\n"
    "  ringfence stage discard k7fq\n\n"
    "A stage keeps what a command changes in the project apart from it, until you apply or\n"
    "discard the changes. An ID can be shortened, or left out if the project has only one stage.";

using StageOptionsPointer = std::shared_ptr<StageOptions>;

// An empty word, such as an unset "$ID", does not mean the only stage.
void AddId(Command& command, const StageOptionsPointer& options) {
  command.AddOption("id ID", options->id, "The stage; `ringfence stage list` shows them")
      .NotEmpty();
}

void AddPathsOf(Command& command, const StageOptionsPointer& options) {
  command.AddOption("paths PATH", options->paths, "Only these files and directories").NotEmpty();
}

void Choose(Command& command, StageCommand which, const StageOptionsPointer& options,
            Action& chosen) {
  command.OnGiven([=, &chosen] { chosen = [=] { return RunStageCommand(which, *options); }; });
}

void AddList(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command = AddCommand(stage, "list", "List the stages",
                               "  ringfence stage list\n"
                               "  ringfence stage list --json | jq -r '.stages[].id'");
  AddCommonOptions(command, options->given, options->json);
  Choose(command, StageCommand::kList, options, chosen);
}

void AddDiff(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command = AddCommand(stage, "diff", "Show what a stage would change",
                               "  ringfence stage diff\n"
                               "  ringfence stage diff k7fq src/main.c\n"
                               "  ringfence stage diff k7fq --stat");
  command.AddOption("--home DIR", options->given.home, "The home directory, instead of HOME");
  const Option json = command.AddFlag("--json", options->json, "Print the result as JSON");
  AddId(command, options);
  AddPathsOf(command, options);
  Option stat = command.AddFlag("--stat", options->stat, "One line for each change");
  stat.Excludes(json);
  command.AddFlag("--name-only", options->name_only, "Only the paths of the changes")
      .Excludes(stat)
      .Excludes(json);
  Choose(command, StageCommand::kDiff, options, chosen);
}

void AddReview(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command = AddCommand(stage, "review", "Write a page of HTML that shows what a stage does",
                               "  ringfence stage review k7fq --output review.html\n"
                               "  ringfence stage review > review.html");
  command.AddOption("--home DIR", options->given.home, "The home directory, instead of HOME");
  command.AddOption("--policy FILE", options->given.policy,
                    "Use this policy instead of the user's and the project's");
  AddId(command, options);
  command.AddOption("--output FILE", options->output,
                    "Write to this file instead of standard output; replaces it");
  Choose(command, StageCommand::kReview, options, chosen);
}

void AddApply(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command = AddCommand(stage, "apply", "Apply the changes of a stage to the project",
                               "  ringfence stage apply k7fq\n"
                               "  ringfence stage apply k7fq --conflicts mine\n"
                               "  ringfence stage apply k7fq src docs/guide.md");
  AddCommonOptions(command, options->given, options->json);
  command.AddOption("--policy FILE", options->given.policy,
                    "Use this policy instead of the user's and the project's");
  AddId(command, options);
  AddPathsOf(command, options);
  command
      .AddOption("--conflicts SIDE", options->conflicts,
                 "Resolve all conflicts: take the stage's files (staged) or keep yours (mine)")
      .OneOf({"staged", "mine"});
  Choose(command, StageCommand::kApply, options, chosen);
}

void AddUndo(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command = AddCommand(stage, "undo", "Take back what applying a stage has changed",
                               "  ringfence stage undo k7fq");
  AddCommonOptions(command, options->given, options->json);
  AddId(command, options);
  Choose(command, StageCommand::kUndo, options, chosen);
}

void AddDiscard(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command = AddCommand(stage, "discard", "Remove a stage with its changes",
                               "  ringfence stage discard k7fq");
  AddCommonOptions(command, options->given, options->json);
  AddId(command, options);
  Choose(command, StageCommand::kDiscard, options, chosen);
}

void AddGc(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command =
      AddCommand(stage, "gc", "Remove applied stages that are too old to be taken back",
                 "  ringfence stage gc --dry-run\n"
                 "  ringfence stage gc --days 7");
  AddCommonOptions(command, options->given, options->json);
  command
      .AddOption("--days N", options->days,
                 "Days to keep applied stages (default: the policy's stage.keep_days)")
      .Between(0, 36500);
  command.AddFlag("--dry-run", options->dry_run, "Only list what would be removed");
  Choose(command, StageCommand::kGc, options, chosen);
}

// Started by the launcher when the command of a stage has ended; not shown to users.
void AddEnded(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command = AddCommand(stage, "ended", "Decide about a stage", "");
  command.Hide();
  AddCommonOptions(command, options->given, options->json);
  AddId(command, options);
  command.AddOption("--policy FILE", options->given.policy, "The policy of the run");
  command.AddFlag("--apply", options->apply, "Apply the changes");
  command.AddFlag("--discard", options->discard, "Discard them");
  command.AddFlag("--keep", options->keep, "Keep them");
  command.AddOption("--automatic WHY", options->automatic, "The policy lets the changes be applied")
      .OneOf({"trusted", "all"});
  command.AddOption("--project FD", options->project, "The lock of the project");
  command.AddOption("--signal N", options->signal, "The signal that has ended the command");
  Choose(command, StageCommand::kEnded, options, chosen);
}

// Started by the launcher before the command of a stage; not shown to users.
void AddCopy(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command = AddCommand(stage, "copy", "Copy the project of a stage", "");
  command.Hide();
  AddId(command, options);
  command.AddOption("--home DIR", options->given.home, "The home directory");
  Choose(command, StageCommand::kCopy, options, chosen);
}

// Started by the launcher beside the command of a stage; not shown to users.
void AddKeepBases(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command = AddCommand(stage, "keep-bases", "Keep what a stage changes, as it was", "");
  command.Hide();
  AddId(command, options);
  command.AddOption("--home DIR", options->given.home, "The home directory");
  command.AddOption("--stop FD", options->stop, "Ends when the other end of this pipe is closed");
  Choose(command, StageCommand::kKeepBases, options, chosen);
}

// Started by the launcher before the command of a stage, if an earlier command was interrupted
// while it changed a project; not shown to users.
void AddRecover(Command& stage, Action& chosen) {
  const auto options = std::make_shared<StageOptions>();
  Command command = AddCommand(stage, "recover", "Undo what interrupted commands have left", "");
  command.Hide();
  command.AddOption("--home DIR", options->given.home, "The home directory");
  Choose(command, StageCommand::kRecover, options, chosen);
}

}  // namespace

void AddStage(Command& app, Action& chosen) {
  Command stage = AddCommand(
      app, "stage", "See what a command would change, then apply or discard it", kStageExamples);
  AddStagedRun(stage, chosen);
  AddList(stage, chosen);
  AddDiff(stage, chosen);
  AddReview(stage, chosen);
  AddApply(stage, chosen);
  AddDiscard(stage, chosen);
  AddUndo(stage, chosen);
  AddGc(stage, chosen);
  AddEnded(stage, chosen);
  AddCopy(stage, chosen);
  AddKeepBases(stage, chosen);
  AddRecover(stage, chosen);
  stage.MayHaveCommand();
  stage.OnGiven([stage, &chosen] {
    if (stage.has_command()) return;
    chosen = [] { return RunStageCommand(StageCommand::kList, {}); };
  });
}

}  // namespace ringfence
