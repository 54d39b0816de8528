#include "tests/support/client_places.h"

#include "agents/claude/folders.h"

namespace ringfence {

std::vector<ClientPlace> EveryClientPlace() {
  const std::string deep =
      "/home/dev/" + std::string(90, 'a') + "/" + std::string(90, 'b') + "/" + std::string(60, 'c');
  std::vector<ClientPlace> all;
  for (const std::string& plain :
       {std::string("/home/dev/project"), std::string("/home/dev/src/my.app_2"),
        std::string("/srv/caf\xC3\xA9/x"), std::string("/home/dev/.config/nvim"), deep,
        std::string("/home/dev/.config/fish"), std::string("/home/dev/.vim"),
        std::string("/home/dev/bin"), std::string("/home/dev/.local/bin/tools"),
        std::string("/home/dev/.emacs.d/lisp"), std::string("/home/dev/.config/git"),
        std::string("/home/dev/dotfiles"), std::string("/home/dev/.claude/skills/mine"),
        std::string("/home/dev/work/.vscode/extension")}) {
    all.push_back({plain, plain, plain, "", ""});
    all.push_back({plain, plain, plain, plain, ""});
  }
  all.push_back(
      {"/home/dev/mono/pkg/app", "/home/dev/mono/pkg/app", "/home/dev/mono", "/home/dev/mono", ""});
  all.push_back(
      {"/home/dev/mono/pkg/app", "/home/dev/mono", "/home/dev/mono", "/home/dev/mono", ""});
  all.push_back(
      {"/home/dev/tree", "/home/dev/tree", "/home/dev/mono", "/home/dev/mono", "/home/dev/tree"});
  all.push_back({"/home/dev/mono/.claude/worktrees/x", "/home/dev/mono/.claude/worktrees/x",
                 "/home/dev/mono", "/home/dev/mono", "/home/dev/mono/.claude/worktrees/x"});
  return all;
}

ClientFiles ClientFilesOf(const ClientPlace& place) {
  const std::string home = "/home/dev/.claude/";
  const std::string session(kClientSession);
  const std::string start = ClaudeProjectSlug(Path::Clean(place.start));
  const std::string entered = ClaudeProjectSlug(Path::Clean(place.memory + "/.claude/worktrees/y"));
  const std::string memory = ClaudeProjectSlug(Path::Clean(place.memory));
  const std::string scratch = "/tmp/claude-1000/" + start + "/" + session;
  ClientFiles client;
  client.written = {home + "projects/" + memory + "/memory/MEMORY.md",
                    home + "projects/" + memory + "/memory/topic/a.md",
                    home + "plans/quiet-otter.md",
                    home + "agent-memory/reviewer/MEMORY.md",
                    home + "projects/" + start + "/" + session + "/workflows/scripts/audit.js",
                    home + "projects/" + entered + "/" + session + "/workflows/scripts/audit.js",
                    scratch + "/scratchpad/notes.txt"};
  client.read = {home + "CLAUDE.md",
                 home + "rules/style.md",
                 home + "skills/pdf/reference/forms.md",
                 home + "plugins/cache/market/tool/1.2.0/skills/x/a.py",
                 home + "agents/reviewer.md",
                 home + "commands/ship.md",
                 home + "tasks/" + session + "/1.json",
                 home + "teams/alpha/config.json",
                 home + "image-cache/" + session + "/1.png",
                 home + "projects/" + start + "/" + session + "/tool-results/b1.txt",
                 home + "projects/" + entered + "/" + session + "/tool-results/b2.txt",
                 home + "projects/" + start + "/" + session + "/subagents/agent-1.jsonl",
                 scratch + "/tasks/b1.output",
                 "/tmp/claude-1000/" + entered + "/" + session + "/scratchpad/x",
                 "/tmp/claude-1000/bundled-skills/2.1.331/0f/skill/a.md"};
  client.read.insert(client.read.end(), client.written.begin(), client.written.end());
  const std::string other = ClaudeProjectSlug(Path::Clean("/home/dev/other"));
  const std::string foreign = "99999999-2222-3333-4444-555555555555";
  client.others = {home + "projects/" + other + "/memory/MEMORY.md",
                   home + "projects/" + other + "/" + foreign + ".jsonl",
                   home + "projects/" + other + "/" + foreign + "/tool-results/b1.txt",
                   home + "image-cache/" + foreign + "/1.png",
                   home + "teams/alpha/inboxes/x.json",
                   "/tmp/claude-1000/" + start + "/" + foreign + "/tasks/b1.output",
                   home + ".credentials.json",
                   home + "history.jsonl",
                   home + "settings.json",
                   "/home/dev/.claude.json",
                   home + "file-history/x/1"};
  if (memory != start)
    client.others.push_back(home + "projects/" + memory + "/" + foreign + ".jsonl");
  return client;
}

}  // namespace ringfence
