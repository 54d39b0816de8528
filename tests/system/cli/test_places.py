"""Runs ringfence and its hook with homes, settings and projects behind links, without a known
home, and with a project that is a part of a repository or a worktree.
"""

import copy
import json
import os
import pathlib
import shutil
import subprocess

from hook_world import Answer
from terminal_session import TerminalSession

SESSION = "11111111-2222-3333-4444-555555555555"


def ask(world, tool, arguments, project=None, home=None, cwd=None, config=None):
    """The hook's answer to one call."""
    project = project or world.project
    event = {"hook_event_name": "PreToolUse", "session_id": SESSION, "permission_mode": "default",
             "cwd": str(cwd or project), "tool_name": tool, "tool_input": arguments}
    environment = {"PATH": "/usr/bin:/bin", "CLAUDE_PROJECT_DIR": str(project)}
    if home != "":
        environment["HOME"] = str(home or world.home)
    if config:
        environment["CLAUDE_CONFIG_DIR"] = str(config)
    done = subprocess.run([world.programs.hook], input=json.dumps(event).encode(), cwd=project,
                          capture_output=True, timeout=30, env=environment)
    return Answer(done.returncode, done.stdout, done.stderr)


def verdict(world, tool, path, **more):
    arguments = {"file_path": str(path)}
    if tool == "Write":
        arguments["content"] = "x"
    if tool == "Edit":
        arguments.update(old_string="a", new_string="b")
    return ask(world, tool, arguments, **more).verdict


def expect(world, want, tool, path, **more):
    got = verdict(world, tool, path, **more)
    assert got == want, f"{tool} of {path}: {got}, not {want}"


def move_and_link(place, to):
    """Makes `place` a link to `to`, and moves its content there."""
    to.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        place.rename(to)
    else:
        to.mkdir()
        place.parent.mkdir(parents=True, exist_ok=True)
    inside = to.is_relative_to(place.parent)
    place.symlink_to(os.path.relpath(to, place.parent) if inside else to)


# Each gives a world one common layout.

def home_behind_a_link(machine):
    move_and_link(machine.home, machine.base / "var/home")


def config_in_dotfiles(machine):
    move_and_link(machine.home / ".config", machine.home / "dotfiles/config")


def local_elsewhere(machine):
    move_and_link(machine.home / ".local", machine.base / "disk/local")


def project_behind_a_link(machine):
    move_and_link(machine.project, machine.base / "disk/project")


def claude_in_dotfiles(machine):
    move_and_link(machine.home / ".claude", machine.home / "dotfiles/claude")


def all_layouts_together(machine):
    project_behind_a_link(machine)
    config_in_dotfiles(machine)
    local_elsewhere(machine)
    home_behind_a_link(machine)


LAYOUTS = (home_behind_a_link, config_in_dotfiles, local_elsewhere, project_behind_a_link,
           claude_in_dotfiles, all_layouts_together)


def fresh(machine):
    for folder in machine.base.iterdir():
        if folder.is_symlink() or folder.is_file():
            folder.unlink()
        else:
            shutil.rmtree(folder)
    machine.home.mkdir()
    machine.project.mkdir()
    machine.write(machine.project / "src/a.txt", "a\n")
    machine.write(machine.base / "outside/o.txt", "o\n")


def run_ok(world, *arguments):
    done = world.run(*arguments)
    assert done.returncode == 0, f"{arguments}: {done.returncode} {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def check_in_force(machine):
    expect(machine, "permitted", "Write", machine.project / "src/new.txt")
    expect(machine, "denied", "Read", machine.base / "outside/o.txt")
    folder = machine.policy.parent
    for path in (machine.policy, folder, folder / "x", pathlib.Path(os.path.realpath(folder)),
                 pathlib.Path(os.path.realpath(machine.policy)), machine.project / ".ringfence/policy.json",
                 machine.state / "trust.json", pathlib.Path(os.path.realpath(machine.state)) / "trust.json"):
        expect(machine, "denied", "Write", path)


def test_without_a_policy_every_layout_works(world):
    for layout in LAYOUTS:
        fresh(world)
        layout(world)
        assert not world.policy.exists()
        check_in_force(world)
        assert not world.policy.exists()


def test_every_command_works_in_every_layout(world):
    for layout in LAYOUTS:
        fresh(world)
        layout(world)
        world.init()
        assert world.policy.is_file(), layout.__name__
        check_in_force(world)
        assert "nothing was changed" in world.init()
        outside = world.base / "outside"
        run_ok(world, "allow", "--read", outside)
        expect(world, "permitted", "Read", outside / "o.txt")
        expect(world, "denied", "Write", outside / "o.txt")
        run_ok(world, "check")
        doctor = world.run("doctor")
        assert "dangling symbolic link" not in doctor.stdout + doctor.stderr, doctor.stdout
        assert "permit" in run_ok(world, "explain", "Read", outside / "o.txt")
        run_ok(world, "uninstall")


def test_a_project_policy_is_trusted_in_every_layout(world):
    for layout in LAYOUTS:
        fresh(world)
        world.write(world.project / ".ringfence/policy.json",
                    '{"version": 1, "read": {"allow": [".", "' + str(world.base / "outside") + '"]}}')
        layout(world)
        expect(world, "denied", "Read", world.base / "outside/o.txt")
        assert world.trust().returncode == 0, layout
        expect(world, "permitted", "Read", world.base / "outside/o.txt")


def test_a_dangling_policy_link_stops_calls(world):
    for link in (world.policy, world.policy.parent, world.project / ".ringfence",
                 world.project / ".ringfence/policy.json"):
        fresh(world)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to("/gone/away")
        answer = ask(world, "Read", {"file_path": str(world.project / "src/a.txt")})
        assert answer.verdict == "error" and b"dangling symbolic link" in answer.stderr, (link, str(answer))


def test_a_linked_policy_is_read_and_protected(world):
    for link in (world.policy, world.policy.parent):
        fresh(world)
        target = world.home / "dotfiles/rf"
        policy = target / "policy.json"
        world.write(policy, '{"version": 1, "read": {"allow": [".", "/srv"]}, '
                            '"write": {"allow": [".", "~/dotfiles"]}}')
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(policy if link == world.policy else target)
        expect(world, "permitted", "Read", "/srv/x")
        expect(world, "denied", "Write", policy)
        expect(world, "denied", "Write", world.policy)
        expect(world, "permitted", "Write", world.home / "dotfiles/vimrc")


def test_without_a_home_project_dotfiles_are_not_secrets(world):
    for name in (".npmrc", ".s3cfg", "app/.npmrc", ".bundle/config", ".docker/config.json"):
        expect(world, "permitted", "Read", world.project / name, home="")
        expect(world, "permitted", "Write", world.project / name, home="")
    expect(world, "denied", "Read", world.home / ".npmrc", home="")


def test_a_dotfiles_project_is_writable_without_questions(world):
    for name in (".config/nvim", ".config/fish", ".vim", "bin", ".local/bin/tools",
                 ".claude/skills/mine"):
        project = world.home / name
        world.write(project / "lua/a.lua", "a\n")
        for path in ("init.lua", "lua/a.lua", "README.md", "sub/new/x"):
            expect(world, "permitted", "Write", project / path, project=project)
        for path in (".git/hooks/pre-commit", ".envrc", ".vscode/tasks.json"):
            expect(world, "asked", "Write", project / path, project=project)
    linked = world.home / "dotfiles/nvim"
    linked.mkdir(parents=True)
    shutil.rmtree(world.home / ".config/nvim")
    (world.home / ".config/nvim").symlink_to(linked)
    expect(world, "permitted", "Write", linked / "init.lua", project=linked)
    expect(world, "permitted", "Write", world.home / ".config/nvim/init.lua",
           project=world.home / ".config/nvim")
    expect(world, "asked", "Write", linked / "init.lua", project=world.home / "dotfiles")


def repository(world, name="repo"):
    """A repository with a worktree beside it, as git creates them."""
    main = world.home / name
    world.write(main / ".git/HEAD", "ref: refs/heads/main\n")
    world.write(main / "pkg/app/a.txt", "a\n")
    world.write(main / "lib/b.txt", "b\n")
    tree = world.home / (name + "-tree")
    own = main / ".git/worktrees/tree"
    world.write(own / "commondir", "../..\n")
    world.write(own / "gitdir", f"{tree}/.git\n")
    world.write(tree / ".git", f"gitdir: {own}\n")
    return main, tree


def slug(path):
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in str(path))


def test_memory_belongs_to_the_main_repository(world):
    main, tree = repository(world)
    projects = world.home / ".claude/projects"
    memory = projects / slug(main) / "memory/MEMORY.md"
    for project in (main, main / "pkg/app", tree):
        expect(world, "permitted", "Read", memory, project=project)
        expect(world, "permitted", "Write", memory, project=project)
        own = projects / slug(project) / SESSION
        expect(world, "permitted", "Read", own / "tool-results/b.txt", project=project)
        expect(world, "denied", "Write", own / "tool-results/b.txt", project=project)
        entered = projects / slug(main / ".claude/worktrees/x") / SESSION / "tool-results/b.txt"
        expect(world, "permitted", "Read", entered, project=project)
        for other in (slug("/home/dev/other") + "/memory/MEMORY.md",
                      slug("/home/dev/other") + "/" + SESSION.replace("1", "9") + ".jsonl"):
            expect(world, "denied", "Read", projects / other, project=project)
            expect(world, "denied", "Write", projects / other, project=project)
    for project in (main / "pkg/app", tree):
        expect(world, "denied", "Read", projects / slug(main) / "9.jsonl", project=project)
    # A directory that only claims to be a worktree of that repository.
    forged = world.home / "forged"
    world.write(forged / ".git", f"gitdir: {main}/.git/worktrees/tree\n")
    expect(world, "denied", "Read", memory, project=forged)


def test_files_that_the_client_shows_are_readable(world):
    claude = world.home / ".claude"
    other = world.base / "claude-config"
    for folder, config in ((claude, None), (other, other)):
        for name in ("CLAUDE.md", "rules/a.md", "skills/pdf/forms.md", "plugins/cache/m/p/1/x.py",
                     "agents/a.md", "commands/c.md", f"image-cache/{SESSION}/1.png",
                     f"tasks/{SESSION}/1.json", "agent-memory/r/MEMORY.md"):
            expect(world, "permitted", "Read", folder / name, config=config)
        expect(world, "permitted", "Write", folder / "agent-memory/r/MEMORY.md", config=config)
        expect(world, "permitted", "Write", folder / "plans/p.md", config=config)
        for name in ("skills/pdf/forms.md", "CLAUDE.md", "agents/a.md", "plugins/cache/x"):
            expect(world, "denied", "Write", folder / name, config=config)
        for name in (".credentials.json", "history.jsonl", "settings.json", "file-history/a"):
            expect(world, "denied", "Read", folder / name, config=config)
    expect(world, "denied", "Read", other / "CLAUDE.md")


def test_the_starter_policy_asks_before_a_tool_reads_dotenv(world):
    world.init()
    for name in (".env", ".env.local", "app/.env.production"):
        world.write(world.project / name, "TOKEN=1\n")
        expect(world, "asked", "Read", world.project / name)
        expect(world, "asked", "Edit", world.project / name)
    for name in (".env.example", ".env.sample", ".env.template", ".env.dist"):
        world.write(world.project / name, "TOKEN=\n")
        expect(world, "permitted", "Read", world.project / name)
    assert ask(world, "Grep", {"pattern": "TOKEN"}).verdict == "permitted"
    expect(world, "permitted", "Read", "/usr/include/stdio.h")
    assert "*.example" in run_ok(world, "explain", "@dotenv")


def test_a_denial_in_the_same_repository_suggests_root_git(world):
    main, _ = repository(world)
    app = main / "pkg/app"
    out = world.init(cwd=app)
    assert f'part of the repository "{main}"' in out and '"root": "git"' in out, out
    answer = ask(world, "Read", {"file_path": str(main / "lib/b.txt")}, project=app)
    assert answer.verdict == "denied" and b'\\"root\\": \\"git\\"' in answer.stdout, answer.stdout
    far = ask(world, "Read", {"file_path": str(world.base / "x")}, project=app)
    assert b"root" not in far.stdout.replace(b"/root", b""), far.stdout
    text = world.policy.read_text()
    world.policy.write_text(text.replace('// "root": "git",', '"root": "git",'))
    expect(world, "permitted", "Read", main / "lib/b.txt", project=app)
    expect(world, "permitted", "Write", main / "lib/b.txt", project=app)
    out = world.init(cwd=app)
    assert "part of the repository" not in out, out
    is_open = f"{app}/.claude/settings.local.json: commands of sessions that start here may write" in out.replace(
        "~", str(world.home))
    assert is_open or "NOT confined" in out, out
    assert "commands of sessions" not in world.init(cwd=main)


def init_on_a_terminal(world, folder):
    there = copy.copy(world)
    there.project = folder
    there.environment = {"PATH": "/usr/bin:/bin", "TERM": "dumb"}
    return TerminalSession([world.programs.ringfence, "init", "--home", str(world.home), "--hook",
                            world.programs.hook], there)


def test_on_a_terminal_init_offers_the_whole_repository(world):
    main, _ = repository(world)
    app = main / "pkg/app"
    for answer, verdict in (("\x03", None), ("\r", "denied"), ("y\r", "permitted")):
        before = world.snapshot()
        with init_on_a_terminal(world, app) as user:
            user.wait("Let the agent work on the whole repository? [y/N] ")
            assert f'"{main}"' in user.seen and "in your other projects" in user.seen, user.seen
            user.say(answer)
            assert (user.status() == 0) == (verdict is not None), user.seen
        if verdict is None:
            assert world.snapshot() == before, user.seen
        else:
            assert ("part of the repository" in user.seen) == (verdict == "denied"), user.seen
            expect(world, verdict, "Read", main / "lib/b.txt", project=app)
    text = world.policy.read_text()
    assert text.startswith("// ") and '\n  "root": "git"' in text, text
    assert "part of the repository" not in world.init(cwd=app)


def test_worktrees_are_only_created_in_the_project(world):
    main, tree = repository(world)

    def enter(name, project, cwd=None):
        return ask(world, "EnterWorktree", {"name": name} if name else {}, project=project,
                   cwd=cwd).verdict

    for name in ("x", "feature/x", ""):
        assert enter(name, main) == "permitted", name
        assert enter(name, main, main / "lib") == "permitted", name
        assert enter(name, main / "pkg/app") == "denied", name
        assert enter(name, tree) == "denied", name
        assert enter(name, world.project) == "permitted", name
    for name in ("..", "a/..", "a//b", "/a", "a/.git", ".GIT", "a\\b"):
        assert enter(name, main) == "denied", name
    agent = {"prompt": "x", "isolation": "worktree"}
    assert ask(world, "Agent", agent, project=main).verdict == "permitted"
    assert ask(world, "Agent", agent, project=main / "pkg/app").verdict == "denied"
    world.write(world.policy, '{"version": 1, "root": "git"}')
    assert enter("feature/x", main / "pkg/app") == "permitted"
    assert ask(world, "Agent", agent, project=main / "pkg/app").verdict == "permitted"
    (main / ".claude/worktrees").mkdir(parents=True)
    (main / ".claude/worktrees/feature+x").symlink_to(world.base)
    assert enter("feature/x", main) == "denied"


def test_a_directory_of_root_needs_root(world):
    world.give_up_root()
    done = world.run("init", "--managed")
    assert done.returncode == 2 and "belongs to root: run the command as root" in done.stderr, done
