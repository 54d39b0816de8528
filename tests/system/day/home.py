"""The home of the day's user, with the files of the client, its skills and other programs."""

import projects
import session
import world as worlds

GITCONFIG = "[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n" \
            "[advice]\n\tdetachedHead = false\n"
SKILL = """---
name: release-notes
description: Writes release notes
---
Read references/style.md in this folder first.
"""

FILES = {
    "$HOME/.gitconfig": GITCONFIG,
    "$HOME/.ssh/id_ed25519": worlds.SECRET,
    "$HOME/.ssh/config": worlds.SECRET,
    "$HOME/.aws/credentials": worlds.SECRET,
    "$HOME/.npmrc": worlds.SECRET,
    "$HOME/.bashrc": "alias ll='ls -l'\n",
    "$OUTSIDE/plan.md": "another project's plan\n",
    # The client's own files.
    "$HOME/.claude/CLAUDE.md": "Answer briefly.\n",
    "$HOME/.claude/plans/brave-otter.md": "# Plan\n\n1. Discounts\n",
    "$HOME/.claude/skills/release-notes/SKILL.md": SKILL,
    "$HOME/.claude/skills/release-notes/references/style.md": "One line for each change.\n",
    "$HOME/.claude/skills/release-notes/scripts/list.sh": "git log --oneline\n",
    "$HOME/.claude/agents/reviewer.md":
        "---\nname: reviewer\ndescription: Reviews\nmemory: user\n---\nReview the change.\n",
    "$HOME/.claude/agent-memory/reviewer/MEMORY.md": "Prefers short functions.\n",
    "$HOME/.claude/plugins/cache/market/lint/1.0.0/skills/lint/rules.md": "# Rule 1\n",
    "$MEMORY/MEMORY.md": "- Tests run with node.\n",
    # Dependencies outside the project.
    "$HOME/.cargo/registry/src/index/serde-1.0.0/src/lib.rs": "pub trait Serialize {}\n",
    "$HOME/go/pkg/mod/example.com/pkg@v1.0.0/pkg.go": "package pkg\n",
    "$HOME/.local/lib/python3.11/site-packages/attrs/__init__.py": "def define(): ...\n",
    "$HOME/.nvm/versions/node/v20.0.0/lib/node_modules/npm/package.json": {"name": "npm"},
    "$HOME/.m2/repository/org/lib/1.0/lib-1.0.pom": "<project/>\n",
}


class DayWorld(worlds.ClientWorld):
    """A home as above, an empty project, and "$MEMORY", the client's memory of the project."""

    def __init__(self):
        super().__init__(files={}, links={})
        self.names["MEMORY"] = self.home / ".claude/projects" / slug(self.project) / "memory"
        for path, content in FILES.items():
            self.write(path, content)


def slug(path):
    """The client's name for a directory."""
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in str(path))


def furnish(name):
    """A step that builds the project `name` with a history of two commits."""
    def act(stage):
        projects.build(stage.world, name)
        for command in (["init", "-q"], ["add", "README.md"], ["commit", "-qm", "Begin"],
                        ["add", "-A"], ["commit", "-qm", "Add everything"]):
            session.run_program(stage, ["git", *command])
    return act


def moves(links):
    """A step that moves directories elsewhere and leaves links to them, as dotfile managers do."""
    def act(stage):
        for name, target in links.items():
            folder, place = stage.world.path(name), stage.world.path(target)
            place.parent.mkdir(parents=True, exist_ok=True)
            if folder.exists():
                folder.rename(place)
            else:
                place.mkdir()
            folder.symlink_to(place)
    return act


def in_session(session_id, environment):
    """Files that exist for this session only: "$SESSION" is its id."""
    def act(stage):
        world = stage.world
        world.names["SESSION"] = session_id
        world.more_environment = environment
        pasted = world.path("$HOME/.claude/image-cache/$SESSION/1.png")
        pasted.parent.mkdir(parents=True)
        pasted.write_bytes(projects.PNG)
    return act
