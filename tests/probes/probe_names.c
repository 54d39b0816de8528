// Names in the project through which programs outside run code later: git's hooks and
// configuration, and the settings of editors, agents and shells. The project is a repository; sub,
// a/b and a/b/c/d/e are repositories inside it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escape_probe.h"

static Verdict GitHookCreate(void) { return Create(".git/hooks/pre-commit"); }

static Verdict GitConfigReplace(void) {
  if (PutMark("new-config", O_CREAT) != 0) return Stopped("open in the project");
  return Tried("rename", rename("new-config", ".git/config"));
}

static Verdict GitConfigWrite(void) { return Append(".git/config"); }

static Verdict GitHooksMove(void) {
  if (rename(".git/hooks", ".git/hooks-old") != 0) return Stopped("rename");
  if (mkdir(".git/hooks", 0755) != 0) return Stopped("mkdir");
  return Create(".git/hooks/pre-commit");
}

static Verdict GitDirReplace(void) {
  if (rename(".git", "git-old") != 0) return Stopped("rename");
  return Tried("mkdir, open", MakeRepository(".git"));
}

static Verdict GitHookSub(void) { return Create("sub/.git/hooks/pre-commit"); }

static Verdict GitSubMove(void) {
  if (rename("sub", "sub-moved") != 0) return Stopped("rename");
  const int made = PutMark("sub-moved/.git/hooks/pre-commit", O_CREAT);
  if (made != 0) return Stopped("open(O_CREAT) after rename");
  return Tried("rename back", rename("sub-moved", "sub"));
}

static Verdict GitHookDepth2(void) { return Create("a/b/.git/hooks/pre-commit"); }
static Verdict GitHookDepth5(void) { return Create("a/b/c/d/e/.git/hooks/pre-commit"); }

static Verdict NewIn(const char* folder, const char* file) {
  if (MakeFolder(folder) != 0) return Stopped("mkdir");
  return Create(file);
}

static Verdict ClaudeSettingsNew(void) { return NewIn(".claude", ".claude/settings.json"); }
static Verdict McpJsonNew(void) { return Create(".mcp.json"); }
static Verdict VscodeTasksNew(void) { return NewIn(".vscode", ".vscode/tasks.json"); }
static Verdict EnvrcNew(void) { return Create(".envrc"); }

static const Row kNames[] = {
    {"git-hook-create", GitHookCreate},
    {"git-config-replace", GitConfigReplace},
    {"git-config-write", GitConfigWrite},
    {"git-hooks-move", GitHooksMove},
    {"git-dir-replace", GitDirReplace},
    {"git-hook-sub", GitHookSub},
    {"git-sub-move", GitSubMove},
    {"git-hook-depth2", GitHookDepth2},
    {"git-hook-depth5", GitHookDepth5},
    {"claude-settings-new", ClaudeSettingsNew},
    {"mcp-json-new", McpJsonNew},
    {"vscode-tasks-new", VscodeTasksNew},
    {"envrc-new", EnvrcNew},
};
const RowTable kNameRows = TABLE(kNames);
