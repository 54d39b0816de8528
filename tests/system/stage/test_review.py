"""`ringfence stage review`: the page, as text and in a real Chromium (review_html.mjs)."""

import json
import pathlib
import re
import subprocess

import pytest

import page_browser
from audit_reports import HOSTILE, UNSEEN
from command_world import error_of
from stage_world import tree_of
from terminal_session import TerminalSession

MAX_BYTES = 10_000_000


def page_of(world, stage, *options):
    """Writes the page to a file. Returns its text."""
    page = world.base / f"page-{stage}.html"
    done = world.good("stage", "review", stage, "--output", page, *options)
    assert done.stdout == "" and done.stderr == "", done
    return page.read_text()


def fill(world):
    """Every kind of change, a conflict with a known base and one without, a merge, and what stays."""
    world.put("src/main.c", "int main() {\n  return 0;\n}\n")
    world.put("src/both.c", "".join(f"line {i}\n" for i in range(1, 40)))
    world.put("src/conflict.txt", "before\n")
    world.put("notes/gone.txt", "mine\n")
    world.put("run.sh", "#!/bin/sh\n")
    world.put("old/name.txt", "a file that moves, with enough text\n" * 3)
    world.put("picture.png", "a\0b")
    for arguments in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "zero"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                       cwd=world.project, check=True,
                       env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)}, **world.as_user)


SCRIPT = """
sleep 1
printf 'int main() {\\n\\treturn 1;\\n}\\n' > src/main.c
sed -i 's/^line 2$/line two/' src/both.c
echo staged > src/conflict.txt
rm -r notes
chmod 755 run.sh
mkdir new && mv old/name.txt new/name.txt && rmdir old
printf 'a\\0bc' > picture.png
ln -s main.c src/link
mkfifo pipe
echo held > held.txt
git -c user.name=a -c user.email=a@b add src/main.c
git -c user.name=a -c user.email=a@b commit -q -m one
sleep 1
"""


def stage_of_everything(world):
    fill(world)
    stage = world.stage(SCRIPT)
    world.put("src/both.c", (world.project / "src/both.c").read_text().replace("line 30\n", "line thirty\n"))
    world.put("src/conflict.txt", "my own\n")
    world.put("notes/gone.txt", "changed by me\n")
    policy = world.write(world.base / "policy.json", json.dumps(
        {"version": 1, "write": {"deny": ["held.txt"]}}))
    return stage, policy


def test_the_page_says_everything(world):
    stage, policy = stage_of_everything(world)
    before = tree_of(world.project)
    page = page_of(world, stage, "--policy", policy)
    assert tree_of(world.project) == before and [s["state"] for s in world.stages()] == ["ended"]
    assert "<h1>Not to be applied before you decide about 2 conflicts</h1>" in page
    for text in (stage, "sh -ec", str(world.project), "overlay",
                 "changed in the stage and in the project", "Changed by the stage",
                 "Changed in the project meanwhile", "The version before both",
                 "deleted in the stage, changed in the project", "merged with your changes",
                 "moved from old", "mode 644 -&gt; 755", "binary, 3 bytes -&gt; 4 bytes", "a FIFO",
                 f"stage/{stage}", "+line two", "+\treturn 1;", "link to &quot;main.c&quot;"):
        assert text in page, text
    assert "+line thirty" not in page, "what the user changed is not a change of the stage"
    assert re.search(r"<code>held.txt</code> <span class=\"why\">[^<]+</span>", page)
    assert page.count("<script") == 0 and "http-equiv=\"Content-Security-Policy\"" in page


def test_the_commands_on_the_page_work(world):
    stage, _ = stage_of_everything(world)
    page = page_of(world, stage)
    command = re.search(r"ringfence (stage apply \w+)</code>", page).group(1)
    error_of(world.call(*command.split()), 1, "because of 2 conflicts")
    world.put("large.txt", "")
    large = world.stage("for i in $(seq 20000); do echo a line of thirty characters or so $i; done > 'la rge.txt'")
    page = page_of(world, large)
    assert "The rest of this diff is left out." in page
    command = re.search(r"ringfence (stage diff \w+) &#39;(la rge.txt)&#39;</code>", page)
    shown = world.good(*command.group(1).split(), command.group(2)).stdout
    assert shown.count("\n+a line of thirty") == 20000


def test_the_page_is_written_as_the_user_says(world, own_world):
    world.put("a.txt", "1\n")
    stage = world.stage("echo 2 >> a.txt")
    printed = world.good("stage", "review").stdout
    assert printed.startswith("<!doctype html>") and "<h1>1 change to apply</h1>" in printed
    assert printed == page_of(world, stage)
    error_of(world.call("stage", "review", stage, "--output", "/proc/none/x.html"), 2, "/proc/none")
    error_of(world.call("stage", "review", "zzzz"), 2, "no stage is named")
    world.good("stage", "apply", stage)
    assert "<h1>Nothing to apply</h1>" in world.good("stage", "review", stage).stdout


def test_the_page_replaces_a_link(world):
    """A link that a command has left in the project could lead to any file of the user's."""
    stage = world.stage("echo 1 > a")
    target = world.put("target", "x")
    (world.project / "page.html").symlink_to(target)
    world.good("stage", "review", stage, "--output", "page.html")
    page = world.project / "page.html"
    assert not page.is_symlink() and page.read_text().startswith("<!doctype html>")
    assert target.read_text() == "x"


def test_a_page_is_not_for_a_terminal(own_world):
    own_world.put("a.txt", "1\n")
    stage = own_world.stage("echo 2 >> a.txt")
    terminal = TerminalSession([own_world.programs.ringfence, "stage", "review"], own_world)
    terminal.wait("a page of HTML is not for a terminal")
    suggested = f"ringfence stage review {stage} --output {stage}.html"
    terminal.wait(suggested)
    assert terminal.status() == 2
    terminal.__exit__()
    own_world.good(*suggested.split()[1:])
    assert "1 change to apply" in (own_world.project / f"{stage}.html").read_text()


def test_a_stage_in_use_shows_the_changes_so_far(world):
    world.put("a.txt", "1\n")
    command = [world.programs.ringfence, "stage", "run", "--keep", "--", "sh", "-c",
               "echo 2 >> a.txt; echo ready; sleep 60"]
    with subprocess.Popen(command, cwd=world.project, stdout=subprocess.PIPE, text=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)},
                          **world.as_user) as running:
        assert running.stdout.readline() == "ready\n"
        page = world.good("stage", "review").stdout
        running.terminate()
    assert "<h1>1 change so far</h1>" in page and "The command still runs" in page and "+2" in page


# --- in a browser ---

def pages_for(world, name):
    if name == "all":
        stage, policy = stage_of_everything(world)
        page_of(world, stage, "--policy", policy)
        facts = {"title": "Not to be applied before you decide about 2 conflicts",
                 "sections": ["conflicts", "held", "never", "branches", "changes"],
                 "names": ["main.c", "both.c", "conflict.txt", "run.sh", "picture.png", "link", "pipe",
                           "held.txt"],
                 "absent": ["name.txt", "index"],
                 "added": ["+line two", "+\treturn 1;", "+staged"],
                 "texts": ["moved from old", "mode 644 -> 755", f"stage/{stage}"]}
    elif name == "hostile":
        world.put("a.txt", UNSEEN + "\n")
        names = [HOSTILE.replace("/", "|"), "x\nnew line", "bad \udcff\udc80 bytes", UNSEEN]
        files = world.base / "names.json"
        files.write_text(json.dumps({"names": names, "text": HOSTILE}))
        world.give(world.base)
        script = ("import json, os\nf = json.load(open(%r))\n"
                  "for n in f['names']:\n"
                  "    os.mkdir(n + '.d')\n"
                  "    for p in (n, n + '.d/' + n):\n"
                  "        open(p, 'wb').write((f['text'] + '\\n').encode() * 3 + b'\\xff\\x01\\x1b[31m\\n')\n"
                  "open('a.txt', 'w').write(f['text'] + '\\n')\n"
                  "os.symlink(f['text'], 'link')\n" % str(files))
        done = world.call("stage", "run", "--json", "--keep", "--", "/usr/bin/python3", "-c", script)
        assert done.returncode == 0, done
        stage = json.loads(done.stdout)["id"]
        page_of(world, stage)
        facts = {"title": f"{2 * len(names) + len(names) + 2} changes to apply", "sections": ["changes"]}
    else:
        world.put("package.json", "{}\n")
        stage = world.stage("mkdir -p node_modules; for d in $(seq 60); do mkdir node_modules/p$d; "
                            "for f in $(seq 50); do echo module $d $f > node_modules/p$d/f$f.js; done; done; "
                            "echo '{\"a\": 1}' > package.json")
        page_of(world, stage)
        facts = {"title": "3,062 changes to apply", "sections": ["changes"], "files": 3001}
    page = world.base / f"page-{stage}.html"
    assert page.stat().st_size < MAX_BYTES
    return {name: {"page": str(page), **facts}}


@pytest.mark.parametrize("name", ("all", "hostile", "many"))
def test_in_a_browser(name, world, pytestconfig, checks):
    script = pathlib.Path(__file__).with_name("review_html.mjs")
    question = {"pages": pages_for(world, name), "shots": pytestconfig.option.shots,
                "hostile": HOSTILE, "unseen": UNSEEN}
    page_browser.run_cases(script, question, checks, world.base)
