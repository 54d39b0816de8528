"""A client started in a part of a repository or in a worktree: the memory that it uses, the
location of its worktrees, and the paths that it shows the model under its own names."""

from script import Call, Do, Found, absent, holds, present, refused, runs
from session import Session, run_program, sets_policy
from tool import agent, bash, enter_worktree, read, write
from world import INSIDE

TOOL_RESULT = Found(r"/\S+/tool-results/\w+\.txt")
MANY = "yes a line of some length that is repeated | head -c 200000"
TREE = "$PROJECT/.claude/worktrees/feature+x"


def git(stage, *arguments):
    run_program(stage, ["git", "-c", "user.name=t", "-c", "user.email=t@example", *arguments])


def repository(stage):
    git(stage, "init", "-q", ".")
    git(stage, "add", "in.txt", "sub", "src")
    git(stage, "commit", "-q", "-m", "first")


def repository_with_a_worktree(stage):
    repository(stage)
    git(stage, "worktree", "add", "-q", "--detach", "$HOME/dev/tree")


def isolated(prompt):
    name, arguments = agent(prompt)
    return name, {**arguments, "isolation": "worktree"}


PART = Session(
    "a part of a repository", start="$PROJECT/sub", prepare=(repository,),
    subagents={"own-tree": [Call("an agent writes in its worktree", write("from-agent.txt"), runs())]},
    play=[
        Call("a file of another part", read("$PROJECT/in.txt"), refused('"root": "git"')),
        Call("a worktree outside is not made", enter_worktree(name="feature/x"), refused(),
             absent("$PROJECT/.claude/worktrees")),
        Call("nor one for an agent", isolated("<<play own-tree>>"), refused(),
             absent("$PROJECT/.claude/worktrees")),
        Call("the memory of the repository", write("$MEMORY/notes.md", "remember"), runs(),
             holds("$MEMORY/notes.md", "remember")),
        Do("the user does what the reason says", sets_policy({"version": 1, "root": "git"})),
        Call("then the file is read", read("$PROJECT/in.txt"), runs(INSIDE)),
        Call("an agent gets its worktree", isolated("<<play own-tree>>"), runs()),
        Call("a worktree with a slash in its name", enter_worktree(name="feature/x"), runs(),
             present(TREE)),
        Call("is written", write("new.txt"), runs(), holds(TREE + "/new.txt", "by the model")),
        Call("a long output there", bash(MANY), runs("tool-results")),
        Call("is read where the client keeps it", read(TOOL_RESULT), runs("a line of some length")),
        Call("the memory is the same", read("$MEMORY/notes.md"), runs("remember")),
    ])

WORKTREE = Session(
    "a worktree", start="$HOME/dev/tree", prepare=(repository_with_a_worktree,),
    play=[
        Call("has the memory of its repository", write("$MEMORY/tree.md", "remember"), runs(),
             holds("$MEMORY/tree.md", "remember")),
        Call("but not its files", read("$PROJECT/in.txt"), refused()),
        Call("a worktree of its own would lie there", enter_worktree(name="y"), refused(),
             absent("$PROJECT/.claude/worktrees")),
        Call("a long output", bash(MANY), runs("tool-results")),
        Call("is read where the client keeps it", read(TOOL_RESULT), runs("a line of some length")),
    ])

SESSIONS = (PART, WORKTREE)
