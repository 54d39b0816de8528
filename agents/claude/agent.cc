#include "agents/claude/agent.h"

#include "agents/claude/folders.h"

namespace ringfence {
namespace {

// All tools of 2.1.330 and 2.1.331, including those that only some sessions have, and former ones.
// The most common come first, because each call looks up its tool.
// clang-format off
constexpr ToolTable kTools(
    "Bash shell command code hosts:/allowed_domains other-host:/_host\n"
    "Edit edit!:/file_path other-host:/_host\n"
    "Glob folder:/path pattern!:/pattern other-host:/_host\n"
    "Grep folder:/path filter:/glob other-host:/_host\n"
    "Read read!:/file_path other-host:/_host\n"
    "Write write!:/file_path other-host:/_host\n"
    "Agent aka:Task code isolation:/isolation\n"
    "AppifactRepl code\n"
    "Artifact read:/file_path read:/file_paths folder:/root attachment:/files "
    "read:/files/*/path read:/files/*/from read:/writes/*/file_path no-path:/path "
    "no-path:/paths write:/out_dir url:/url url:/from_url url:/type_url\n"
    "ArtifactCheck read:/file_path read:/writes/*/file_path url:/url\n"
    "ArtifactComments read:/file_path read:/writes/*/file_path url:/url\n"
    "ArtifactData read:/file_path read:/writes/*/file_path url:/url\n"
    "AskUserQuestion\n"
    "BashOutput\nClaudeDesign\n"
    "CronCreate code\n"
    "CronDelete\nCronList\n"
    "DesignSync edit:/localDir edit:/files/*/localPath no-path:/files no-path:/path "
    "no-path:/paths no-path:/assets\n"
    "EndConversation\nEnterPlanMode\n"
    "EnterWorktree write:/path worktree:/name\n"
    "ExitPlanMode\nExitWorktree\nFetchInboxMessage\nGetGoal\nGetTask\n"
    "LS folder!:/path\n"
    "LSP read!:/filePath\n"
    "ListAgents aka:ListPeers\n"
    "ListConnectors\n"
    "ListMcpResourcesTool aka:ListMcpResources server:/server\n"
    "ListPlugins\nListSkills\nMcpTaskCheck\nMcpTaskResumePolling\nMcpTaskShowQuestion\n"
    "Monitor shell command code url:/ws/url hosts:/allowed_domains\n"
    "MultiEdit edit!:/file_path other-host:/_host\n"
    "NotebookEdit edit!:/notebook_path\n"
    "NotebookRead read!:/notebook_path\n"
    "ObserverReport\nOfferChromeSetup\nPauseGoal\nPoll\n"
    "PowerShell shell code hosts:/allowed_domains other-host:/_host\n"
    "Projects read:/path edit:/local_path\n"
    "PublishPlugin read:/path no-path:/question\n"
    "PushNotification\n"
    "REPL aka:Eval code\n"
    "ReadMcpResourceDirTool aka:ReadMcpResourceDir server!:/server resource!:/uri\n"
    "ReadMcpResourceTool aka:ReadMcpResource server!:/server resource!:/uri\n"
    "ReadNotifications\nReadWidgetContext\nRefreshMcpTools\n"
    "RemoteTrigger code\n"
    "ReportFindings\nScheduleWakeup\nSearchMcpRegistry\nSearchPlugins\nSearchSkills\n"
    "SendFeedback\n"
    "SendFile read!:/files\n"
    "SendMessage\nSendToProject\nSendToProjectContext\n"
    "SendUserFile read!:/files\n"
    "SendUserMessage aka:Brief attachment:/attachments\n"
    "SetGoal aka:ProposeGoal\n"
    "ShareOnboardingGuide\nShowOnboardingRolePicker\n"
    "Skill code\n"
    "StructuredOutput data\n"
    "SubagentHandback\nSuggestConnectors\nSuggestPluginInstall\nSuggestSkills\nTaskCreate\n"
    "TaskGet\nTaskList\nTaskOutput\n"
    "TaskStop aka:KillBash aka:KillShell other-host:/_host\n"
    "TaskUpdate\nTodoWrite\nToolSearch\nWaitForMcpServers\n"
    "WebFetch url!:/url\n"
    "WebSearch\n"
    "Workflow aka:RunWorkflow code read:/scriptPath\n"
    "WrapUp\n"
    "Yield\nenable__mcp__claude-in-chrome\nenable__mcp__remote-devices__Claude_Browser\n"
    "enable__mcp__remote-devices__computer\nmemory_list\n"
    "memory_read no-path:/path\n"
    "memory_write no-path:/path\n"
    "propose_skills\nrequest_computer\nself_hosted_runner_get_pool\n"
    "self_hosted_runner_list_runners\nself_hosted_runner_list_secrets\n"
    "self_hosted_runner_list_sessions\nself_hosted_runner_read_health\n"
    "self_hosted_runner_read_metrics\n"
    "self_hosted_runner_requeue_session code\n"
    "self_hosted_runner_spawn_local code write:/base_dir write:/log_path edit:/secret_file_path\n"
    "self_hosted_runner_tail_log read:/log_path\n");
// clang-format on

constexpr WordList kSessionTools(
    "AskUserQuestion\nBashOutput\nCronList\nEndConversation\nEnterPlanMode\nExitPlanMode\n"
    "GetGoal\nGetTask\nMcpTaskCheck\nMcpTaskResumePolling\nMcpTaskShowQuestion\n"
    "ObserverReport\nPauseGoal\nPoll\nReadNotifications\nReadWidgetContext\n"
    "RefreshMcpTools\nReportFindings\nScheduleWakeup\nSetGoal\n"
    "StructuredOutput\nSubagentHandback\nTaskCreate\nTaskGet\nTaskList\nTaskOutput\n"
    "TaskStop\nTaskUpdate\nTodoWrite\nToolSearch\nWaitForMcpServers\nWrapUp\nYield\n");

constexpr WordList kAgentHosts(
    "api.anthropic.com\n"
    "claude.ai\n"
    "console.anthropic.com\n"
    "platform.claude.com\n");

constexpr std::string_view kService = "api.anthropic.com";

// Measured with 2.1.331 (tests/system/proxy/test_agent.py): updates, and the list of changes. The
// third receives statistics and is in the program's text.
constexpr WordList kBackgroundHosts("downloads.claude.ai\nhttp-intake.logs.us5.datadoghq.com\n");
constexpr WordList kInterfaceHosts("raw.githubusercontent.com\n");

// These lists leave out what the client reads in ~/.claude as instructions, settings or programs
// (CLAUDE.md, rules, output-styles, commands, hooks, ...), and directories in which users keep
// scripts.
constexpr AgentStateNames kState{
    .folder = ".claude",
    .file = ".claude.json",
    .projects = "projects",
    .folders = WordList("backups\ncache\ndebug\nfile-history\nimage-cache\npaste-cache\nplans\n"
                        "sessions\nstatsig\ntasks\ntelemetry\ntodos\nuploads\nusage-data\n"),
    .shell_folders = WordList("shell-snapshots\nsession-env\n"),
    .files = WordList(".credentials.json\n.last-cleanup\n.oauth_refresh\nhistory.jsonl\n"
                      "mcp-needs-auth-cache.json\nstats-cache.json\n"),
    .logins = WordList(".credentials.json\nhistory.jsonl\n"),
    // At the start and for updates; measured as the hosts are.
    .attempts = WordList(".claude/remote-settings.json\n.claude/projects\n.claude/plugins\n"
                         ".claude/.last-update-result.json*\n.local/share\n"),
    // Measured on 2.1.331.
    .plugin = "plugins/cache/ringfence",
    .plugin_data = "plugins/data/ringfence-ringfence"};

constexpr AgentSettings kSettingsNames{.what = "Claude Code's settings",
                                       .pattern = "settings*.json",
                                       // The last two say where the client runs plugins from.
                                       .files = WordList("settings.json\nsettings.local.json\n"
                                                         "plugins/known_marketplaces.json\n"
                                                         "plugins/installed_plugins.json\n"),
                                       .managed = "/etc/claude-code",
                                       .managed_macos = "/Library/Application Support/ClaudeCode",
                                       .option = "--settings",
                                       .no_sandbox = R"({"sandbox":{"enabled":false}})"};

// The client runs these, starts agents from them, or follows them as instructions: its "Settings".
constexpr WordList kRunsLater(
    "commands\nagents\nskills\nplugins\nhooks\nworkflows\ndev-mods\nroutines\nrules\n"
    "output-styles\nscheduled_tasks.json\nlaunch.json\ndaemon.json\n");

// The client sources its shell snapshots, and reads .config.json instead of .claude.json.
constexpr WordList kStateRunsLater(
    "shell-snapshots\nsession-env\nlocal\njobs\ndaemon\nseed-admin\ncowork_plugins\n"
    "mcp-skill-archives\nremote-settings.json\n.config.json\n");

// As root, the client refuses to run without prompts unless IS_SANDBOX is set. An update would
// fail, as its program is read-only, and the client would report that in each session. It creates
// its temporary files in /tmp regardless of TMPDIR.
constexpr AgentVariables kEnvironmentNames{
    .project = "CLAUDE_PROJECT_DIR",
    .settings = "CLAUDE_CONFIG_DIR",
    .started = "CLAUDECODE",
    .tmp = "CLAUDE_CODE_TMPDIR",
    .confined = "IS_SANDBOX",
    .no_updates = "DISABLE_AUTOUPDATER",
    .service = "ANTHROPIC_BASE_URL",
    .services = WordList("CLAUDE_CODE_USE_ANTHROPIC_AWS\nCLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD\n"
                         "CLAUDE_CODE_USE_BEDROCK\nCLAUDE_CODE_USE_FOUNDRY\n"
                         "CLAUDE_CODE_USE_GATEWAY\nCLAUDE_CODE_USE_MANTLE\n"
                         "CLAUDE_CODE_USE_VERTEX\n"),
    .own = WordList("ANTHROPIC_*\nCLAUDE_*\nDISABLE_*\nENABLE_*\nMCP_*\nMAX_*\n"
                    "BASH_*_TIMEOUT_MS\nBASH_MAX_OUTPUT_LENGTH\nAPI_TIMEOUT_MS\n"
                    "SLASH_COMMAND_TOOL_CHAR_BUDGET\nUSE_BUILTIN_RIPGREP\nDO_NOT_TRACK\n"
                    "AWS_REGION\nCLOUD_ML_REGION\nVERTEX_REGION_*\n"),
    .commands = WordList("CLAUDECODE\nCLAUDE_PROJECT_DIR\nCLAUDE_CODE_SESSION_ID\n"
                         "CLAUDE_CODE_ENTRYPOINT\n")};

constexpr Agent kClaudeCode{.name = "Claude Code",
                            .program = "claude",
                            .tools = kTools,
                            .session_tools = kSessionTools,
                            .hosts = kAgentHosts,
                            .service = kService,
                            .background_hosts = kBackgroundHosts,
                            .interface_hosts = kInterfaceHosts,
                            .shell = "Bash",
                            .sandbox_flag = "dangerouslyDisableSandbox",
                            .this_computer = "container",
                            .worktrees = ".claude/worktrees",
                            .worktree_isolation = "worktree",
                            .worktree_separator = '+',
                            .state = kState,
                            .settings = kSettingsNames,
                            .variables = kEnvironmentNames,
                            .runs_later = kRunsLater,
                            .state_runs_later = kStateRunsLater,
                            .unguarded_mode = "bypassPermissions",
                            .model_decides_mode = "auto",
                            .leave_that_mode = "leave auto mode (Shift+Tab)",
                            .project_folder = ClaudeProjectSlug,
                            .own_projects = OwnProjectFolders,
                            .scratch = ClaudeScratch};

}  // namespace

const Agent& ClaudeCode() { return kClaudeCode; }

}  // namespace ringfence
