// Names that are permitted in a new work tree, misused: with a ".git" in the wrong place, or with
// one that does not stay.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escape_probe.h"

static int MakeFolders(const char* const* folders, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (MakeFolder(folders[i]) != 0) return -1;
  }
  return 0;
}

#define MAKE(...)                                 \
  MakeFolders((const char* const[]){__VA_ARGS__}, \
              sizeof((const char* const[]){__VA_ARGS__}) / sizeof(const char*))

// --- a ".git" below the first directory that a rule names ----------------------------------------

static Verdict GithubLevel(void) {
  if (MAKE(".github", ".github/.git", ".github/workflows") != 0) return Stopped("mkdir");
  const Verdict made = Create(".github/workflows/x.yml");
  rmdir(".github/.git");
  return made;
}

static Verdict WorkflowsLevel(void) {
  if (MAKE(".github", ".github/workflows", ".github/workflows/.git") != 0) return Stopped("mkdir");
  return Create(".github/workflows/x.yml");
}

static Verdict CursorLevel(void) {
  if (MAKE(".cursor", ".cursor/.git") != 0) return Stopped("mkdir");
  return Create(".cursor/mcp.json");
}

static Verdict DeepLevel(void) {
  if (MAKE("deep/er/.github", "deep/er/.github/.git", "deep/er/.github/workflows") != 0) {
    return Stopped("mkdir");
  }
  return Create("deep/er/.github/workflows/x.yml");
}

static Verdict TwiceLevel(void) {
  if (MAKE(".github", ".github/.git", ".github/x", ".github/x/.github",
           ".github/x/.github/workflows", ".github/workflows") != 0) {
    return Stopped("mkdir");
  }
  return Create(".github/workflows/x.yml");
}

// --- a ".git" that does not stay, or leads to an existing repository ----------------------------

static int MakeTree(void) {
  if (MAKE("tree-new", "tree-new/.git", "tree-new/.vscode") != 0) return -1;
  return PutMark("tree-new/.vscode/tasks.json", O_CREAT);
}

static Verdict TreeUndone(void) {
  if (MakeTree() != 0) return Stopped("mkdir, open");
  return Tried("rmdir", rmdir("tree-new/.git"));
}

static Verdict TreeRenamed(void) {
  if (MakeTree() != 0) return Stopped("mkdir, open");
  return Tried("rename", rename("tree-new/.git", "tree-new/git"));
}

static int PutText(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return -1;
  const ssize_t put = write(file, text, strlen(text));
  close(file);
  return put == (ssize_t)strlen(text) ? 0 : -1;
}

static Verdict TreeShared(void) {
  if (MAKE("tree-new") != 0 || PutText("tree-new/.git", "gitdir: ../.git\n") != 0 ||
      MAKE("tree-new/.vscode") != 0) {
    return Stopped("mkdir, open");
  }
  return Create("tree-new/.vscode/tasks.json");
}

// Creates a file ".git" that first leads to a repository of this run.
static int MakeLinkedTree(int* kept_open) {
  if (MAKE("own", "own/.git", "tree-new") != 0) return -1;
  if (PutText("tree-new/.git", "gitdir: ../own/.git\n") != 0) return -1;
  *kept_open = open("tree-new/.git", O_RDWR);
  if (MAKE("tree-new/.vscode") != 0) return -1;
  return PutMark("tree-new/.vscode/tasks.json", O_CREAT);
}

static Verdict TreeRewritten(void) {
  int kept_open = -1;
  if (MakeLinkedTree(&kept_open) != 0) return Stopped("mkdir, open");
  if (PutText("tree-new/.git", "gitdir: ../.git\n") != 0) return Stopped("open");
  return Open("open");
}

static Verdict TreeRewrittenOpen(void) {
  int kept_open = -1;
  if (MakeLinkedTree(&kept_open) != 0) return Stopped("mkdir, open");
  const char text[] = "gitdir: ../.git\n\n\n\n";
  return Tried("write", write(kept_open, text, sizeof(text) - 1));
}

static Verdict TreeReplaced(void) {
  int kept_open = -1;
  if (MakeLinkedTree(&kept_open) != 0) return Stopped("mkdir, open");
  if (PutText("other", "gitdir: ../.git\n") != 0) return Stopped("open in the project");
  return Tried("rename", rename("other", "tree-new/.git"));
}

// --- what must work ------------------------------------------------------------------------------

// "rm -r" in directory order: ".git" may come first.
static Verdict RemoveTree(void) {
  if (MAKE("tree-new", "tree-new/.git", "tree-new/.git/refs", "tree-new/.vscode") != 0) {
    return Broken("mkdir");
  }
  if (PutMark("tree-new/.vscode/tasks.json", O_CREAT) != 0) return Broken("open");
  if (rmdir("tree-new/.git") == 0) return BrokenAs("rmdir of a full directory");
  if (rmdir("tree-new/.git/refs") != 0 || rmdir("tree-new/.git") != 0) return Broken("rmdir .git");
  if (unlink("tree-new/.vscode/tasks.json") != 0) return Broken("unlink");
  if (rmdir("tree-new/.vscode") != 0 || rmdir("tree-new") != 0) return Broken("rmdir");
  return Exists("tree-new") ? BrokenAs("it is still there") : Works();
}

static Verdict RemoveLinkedTree(void) {
  int kept_open = -1;
  if (MakeLinkedTree(&kept_open) != 0) return Broken("mkdir, open");
  if (unlink("tree-new/.git") != 0) return Broken("unlink .git");
  if (unlink("tree-new/.vscode/tasks.json") != 0) return Broken("unlink");
  if (rmdir("tree-new/.vscode") != 0 || rmdir("tree-new") != 0) return Broken("rmdir");
  return Exists("tree-new") ? BrokenAs("it is still there") : Works();
}

static const Row kOwnTrees[] = {
    {"x-level-github", GithubLevel},
    {"x-level-workflows", WorkflowsLevel},
    {"x-level-twice", TwiceLevel},
    {"x-level-cursor", CursorLevel},
    {"x-level-deep", DeepLevel},
    {"x-tree-undone", TreeUndone},
    {"x-tree-renamed", TreeRenamed},
    {"x-tree-shared", TreeShared},
    {"x-tree-rewritten", TreeRewritten},
    {"x-tree-rewritten-open", TreeRewrittenOpen},
    {"x-tree-replaced", TreeReplaced},
    {"fn-x-remove-tree", RemoveTree},
    {"fn-x-remove-linked-tree", RemoveLinkedTree},
};
const RowTable kOwnTreeRows = TABLE(kOwnTrees);
