// The names of probe_names.c at other depths, and through every call that creates, replaces,
// removes or changes a name. Existing before: the repositories sub, a/b and a/b/c/d/e with a hook
// that is not executable, and pkg with settings; plain and deep/er are empty directories.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "escape_probe.h"
#include "kernel_abi.h"

// --- new files ----------------------------------------------------------------------------------

// Creates missing parent directories as well.
static Verdict CreateBelow(const char* path) {
  char folder[300];
  for (const char* slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
    if (!Exists(folder) && mkdir(folder, 0755) != 0) return Stopped("mkdir");
  }
  return Create(path);
}

static Verdict ClaudeLocalNew(void) { return CreateBelow(".claude/settings.local.json"); }
static Verdict ClaudeSettingsDeep(void) { return CreateBelow("deep/er/.claude/settings.json"); }
static Verdict ClaudeLocalDeep(void) { return CreateBelow("deep/er/.claude/settings.local.json"); }
static Verdict McpJsonDeep(void) { return CreateBelow("deep/er/.mcp.json"); }
static Verdict VscodeTasksDeep(void) { return CreateBelow("deep/er/.vscode/tasks.json"); }
static Verdict EnvrcDeep(void) { return CreateBelow("deep/er/.envrc"); }
static Verdict HuskyNew(void) { return CreateBelow(".husky/pre-commit"); }
static Verdict HuskyDeep(void) { return CreateBelow("deep/er/.husky/pre-commit"); }
static Verdict WorkflowNew(void) { return CreateBelow(".github/workflows/new.yml"); }
static Verdict RingfenceNew(void) { return CreateBelow(".ringfence/policy.json"); }
static Verdict RingfenceDeep(void) { return CreateBelow("deep/er/.ringfence/policy.json"); }
static Verdict Commondir(void) { return CreateBelow(".git/commondir"); }
static Verdict CommondirSub(void) { return CreateBelow("sub/.git/commondir"); }

static Verdict GitDirNew(void) { return Tried("mkdir, open", MakeRepository("plain/.git")); }

// A file with this name redirects git to a directory elsewhere.
static Verdict GitFileNew(void) { return Create("plain/.git"); }

// --- existing files -----------------------------------------------------------------------------

static Verdict ClaudeSettingsWrite(void) { return Append("pkg/.claude/settings.json"); }
static Verdict WorkflowWrite(void) { return Append("pkg/.github/workflows/ci.yml"); }

static Verdict GitFileWrite(void) { return Append("tree/.git"); }
static Verdict GitFileLink(void) {
  if (link("tree/.git", "tree/other") != 0) return Tried("link", -1);
  return Append("tree/other");
}
static Verdict GitFileAway(void) { return Tried("rename", rename("tree/.git", "tree/git-old")); }

static Verdict BareHook(void) { return Create("bare.git/hooks/pre-commit"); }

static Verdict BareHooksRename(void) {
  if (MakeFolder("made") != 0 || PutMark("made/pre-commit", O_CREAT) != 0) {
    return Stopped("open in the project");
  }
  return Tried("rename", rename("made", "bare-parts/hooks"));
}

static Verdict BarePartRename(void) {
  if (MakeFolder("made") != 0) return Stopped("mkdir in the project");
  return Tried("rename", rename("made", "bare-less/objects"));
}

static Verdict RenameOver(const char* protected_name) {
  if (PutMark("ordinary", O_CREAT) != 0) return Stopped("open in the project");
  return Tried("rename", rename("ordinary", protected_name));
}

static Verdict GitFileReplace(void) { return RenameOver("tree/.git"); }
static Verdict ClaudeSettingsReplace(void) { return RenameOver("pkg/.claude/settings.json"); }
static Verdict ConfigReplace(void) { return RenameOver("sub/.git/config"); }
static Verdict McpJsonRename(void) { return RenameOver("deep/er/.mcp.json"); }

static Verdict ConfigWriteSub(void) { return Append("sub/.git/config"); }
static Verdict ConfigTruncate(void) { return Tried("truncate", truncate("sub/.git/config", 0)); }
static Verdict ConfigUnlink(void) { return Tried("unlink", unlink("sub/.git/config")); }
static Verdict ConfigAway(void) { return Tried("rename", rename("sub/.git/config", "taken")); }

static Verdict ConfigOpenTrunc(void) {
  return Tried("open(O_RDONLY|O_TRUNC)", open("sub/.git/config", O_RDONLY | O_TRUNC));
}

// --- rights -------------------------------------------------------------------------------------

static const char kHook[] = "sub/.git/hooks/post-merge";

static Verdict HookChmod(void) { return Tried("chmod", chmod(kHook, 0755)); }

static Verdict HookFchmod(void) {
  const int hook = open(kHook, O_RDONLY | O_CLOEXEC);
  if (hook < 0) return Stopped("open");
  return Tried("fchmod", fchmod(hook, 0755));
}

static Verdict HookFchmodat2(void) {
  return Tried("fchmodat2", syscall(SYS_fchmodat2, AT_FDCWD, kHook, 0755, AT_SYMLINK_NOFOLLOW));
}

static Verdict HookFchmodat2Fd(void) {
  const int hook = open(kHook, O_PATH | O_CLOEXEC);
  if (hook < 0) return Stopped("open(O_PATH)");
  return Tried("fchmodat2(fd)", syscall(SYS_fchmodat2, hook, "", 0755, AT_EMPTY_PATH));
}

static Verdict HookChmodProc(void) {
  const int hook = open(kHook, O_PATH | O_CLOEXEC);
  if (hook < 0) return Stopped("open(O_PATH)");
  char path[40];
  snprintf(path, sizeof(path), "/proc/self/fd/%d", hook);
  return Tried("chmod(/proc/self/fd/N)", chmod(path, 0755));
}

// --- directories, prepared under another name ---------------------------------------------------

static Verdict RenamePrepared(const char* to) {
  if (MakeRepository("prepared") != 0) return Stopped("mkdir in the project");
  return Tried("rename", rename("prepared", to));
}

static Verdict GitRenameNew(void) { return RenamePrepared("plain/.git"); }

static Verdict GitRenameNested(void) {
  if (rename("sub/.git", "sub/git-old") != 0) return Stopped("rename away");
  return RenamePrepared("sub/.git");
}

static Verdict HooksRenameNested(void) {
  if (rename("sub/.git/hooks", "sub/hooks-old") != 0) return Stopped("rename away");
  if (MakeRepository("prepared") != 0) return Stopped("mkdir in the project");
  return Tried("rename", rename("prepared/hooks", "sub/.git/hooks"));
}

// Renames .git away from the protected name, changes it there, and renames it back.
static Verdict GitOutAndBack(void) {
  if (rename("sub/.git", "sub/git") != 0) return Stopped("rename");
  if (PutMark("sub/git/config", O_APPEND) != 0) return Stopped("open");
  return Tried("rename back", rename("sub/git", "sub/.git"));
}

static Verdict HooksOutAndBack(void) {
  if (rename("sub/.git/hooks", "sub/hooks") != 0) return Stopped("rename");
  if (PutMark("sub/hooks/pre-commit", O_CREAT) != 0) return Stopped("open");
  return Tried("rename back", rename("sub/hooks", "sub/.git/hooks"));
}

static Verdict Exchange(const char* with) {
  if (MakeRepository("prepared") != 0) return Stopped("mkdir in the project");
  return Tried("renameat2(RENAME_EXCHANGE)",
               renameat2(AT_FDCWD, "prepared", AT_FDCWD, with, RENAME_EXCHANGE));
}

static Verdict ExchangeTop(void) { return Exchange(".git"); }
static Verdict ExchangeNested(void) { return Exchange("sub/.git"); }

// A directory with one file becomes the settings directory.
static Verdict RenameFolder(const char* file, const char* to) {
  char path[100];
  if (MakeFolder("prepared") != 0 || MakeFolder("prepared/workflows") != 0) return Stopped("mkdir");
  snprintf(path, sizeof(path), "prepared/%s", file);
  if (PutMark(path, O_CREAT) != 0) return Stopped("open in the project");
  return Tried("rename", rename("prepared", to));
}

static Verdict ClaudeRename(void) { return RenameFolder("settings.json", "deep/er/.claude"); }
static Verdict VscodeRename(void) { return RenameFolder("tasks.json", "deep/er/.vscode"); }
static Verdict HuskyRename(void) { return RenameFolder("pre-commit", "deep/er/.husky"); }
static Verdict GithubRename(void) { return RenameFolder("workflows/new.yml", "deep/er/.github"); }
static Verdict RingfenceRename(void) { return RenameFolder("policy.json", "deep/er/.ringfence"); }

// Moves a directory to the place where it completes the protected name.
static Verdict ParentRename(void) {
  if (MakeFolder("workflows") != 0) return Stopped("mkdir");
  if (PutMark("workflows/new.yml", O_CREAT) != 0) return Stopped("open in the project");
  if (MakeFolder("deep/er/.github") != 0) return Stopped("mkdir(.github)");
  return Tried("rename", rename("workflows", "deep/er/.github/workflows"));
}

// --- links and special files --------------------------------------------------------------------

static Verdict GitSymlink(void) {
  if (MakeRepository("prepared") != 0) return Stopped("mkdir in the project");
  return Tried("symlink", symlink("../prepared", "plain/.git"));
}

static Verdict HooksSymlink(void) {
  if (MakeRepository("prepared") != 0) return Stopped("mkdir in the project");
  return Tried("symlink",
               symlink("../../../prepared/hooks/pre-commit", "sub/.git/hooks/pre-commit"));
}

static Verdict EnvrcSymlink(void) {
  return Tried("symlink", symlink("../../ordinary", "deep/er/.envrc"));
}

static Verdict LinkToConfig(const char* config) {
  if (link(config, "second-name") != 0) return Stopped("link");
  return Append("second-name");
}

static Verdict ConfigHardlinkTop(void) { return LinkToConfig(".git/config"); }
static Verdict ConfigHardlink(void) { return LinkToConfig("sub/.git/config"); }

static Verdict HardlinkNewName(void) {
  if (PutMark("ordinary", O_CREAT) != 0) return Stopped("open in the project");
  return Tried("link", link("ordinary", "deep/er/.mcp.json"));
}

// An unnamed file gets its first name.
static int Nameless(void) {
  const int file = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0755);
  return file >= 0 && write(file, kMark, 8) == 8 ? file : -1;
}

static Verdict TmpfileLink(void) {
  const int file = Nameless();
  if (file < 0) return Stopped("open(O_TMPFILE)");
  char path[40];
  snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
  return Tried("linkat(/proc/self/fd/N)",
               linkat(AT_FDCWD, path, AT_FDCWD, "sub/.git/hooks/pre-commit", AT_SYMLINK_FOLLOW));
}

// Since Linux 6.10, the process that opened the file may do this without privileges.
static Verdict TmpfileLinkEmpty(void) {
  const int file = Nameless();
  if (file < 0) return Stopped("open(O_TMPFILE)");
  return Tried("linkat(AT_EMPTY_PATH)",
               linkat(file, "", AT_FDCWD, "deep/er/.mcp.json", AT_EMPTY_PATH));
}

static Verdict SocketBind(void) {
  const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "deep/er/.mcp.json"};
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (server < 0) return Stopped("socket");
  return Tried("bind", bind(server, (const struct sockaddr*)&address, sizeof(address)));
}

static Verdict Fifo(void) {
  return Tried("mknod(S_IFIFO)", mknod("deep/er/.envrc", S_IFIFO | 0600, 0));
}

static Verdict Mknod(void) {
  return Tried("mknod(S_IFREG)", mknod("deep/er/.mcp.json", S_IFREG | 0600, 0));
}

static const Row kMoreNames[] = {
    {"x-claude-local-new", ClaudeLocalNew},
    {"x-claude-settings-deep", ClaudeSettingsDeep},
    {"x-claude-local-deep", ClaudeLocalDeep},
    {"x-mcp-json-deep", McpJsonDeep},
    {"x-vscode-tasks-deep", VscodeTasksDeep},
    {"x-envrc-deep", EnvrcDeep},
    {"x-husky-new", HuskyNew},
    {"x-husky-deep", HuskyDeep},
    {"x-workflow-new", WorkflowNew},
    {"x-ringfence-new", RingfenceNew},
    {"x-ringfence-deep", RingfenceDeep},
    {"x-commondir", Commondir},
    {"x-commondir-sub", CommondirSub},
    {"x-git-dir-new", GitDirNew},
    {"x-git-file-new", GitFileNew},
    {"x-git-file-write", GitFileWrite},
    {"x-git-file-replace", GitFileReplace},
    {"x-git-file-link", GitFileLink},
    {"x-git-file-away", GitFileAway},
    {"x-bare-hook", BareHook},
    {"x-bare-hooks-rename", BareHooksRename},
    {"x-bare-part-rename", BarePartRename},
    {"x-claude-settings-write", ClaudeSettingsWrite},
    {"x-claude-settings-replace", ClaudeSettingsReplace},
    {"x-workflow-write", WorkflowWrite},
    {"x-mcp-json-rename", McpJsonRename},
    {"x-config-write-sub", ConfigWriteSub},
    {"x-config-replace", ConfigReplace},
    {"x-config-truncate", ConfigTruncate},
    {"x-config-open-trunc", ConfigOpenTrunc},
    {"x-config-unlink", ConfigUnlink},
    {"x-config-away", ConfigAway},
    {"x-hook-chmod", HookChmod},
    {"x-hook-fchmod", HookFchmod},
    {"x-hook-fchmodat2", HookFchmodat2},
    {"x-hook-fchmodat2-fd", HookFchmodat2Fd},
    {"x-hook-chmod-proc-fd", HookChmodProc},
    {"x-git-rename-new", GitRenameNew},
    {"x-git-rename-nested", GitRenameNested},
    {"x-hooks-rename-nested", HooksRenameNested},
    {"x-git-out-and-back", GitOutAndBack},
    {"x-hooks-out-and-back", HooksOutAndBack},
    {"x-exchange-top", ExchangeTop},
    {"x-exchange-nested", ExchangeNested},
    {"x-claude-rename", ClaudeRename},
    {"x-vscode-rename", VscodeRename},
    {"x-husky-rename", HuskyRename},
    {"x-github-rename", GithubRename},
    {"x-ringfence-rename", RingfenceRename},
    {"x-parent-rename", ParentRename},
    {"x-git-symlink", GitSymlink},
    {"x-hook-symlink", HooksSymlink},
    {"x-envrc-symlink", EnvrcSymlink},
    {"x-config-hardlink-top", ConfigHardlinkTop},
    {"x-config-hardlink", ConfigHardlink},
    {"x-hardlink-new-name", HardlinkNewName},
    {"x-tmpfile-link", TmpfileLink},
    {"x-tmpfile-link-empty", TmpfileLinkEmpty},
    {"x-socket-bind", SocketBind},
    {"x-fifo", Fifo},
    {"x-mknod", Mknod},
};
const RowTable kMoreNameRows = TABLE(kMoreNames);
