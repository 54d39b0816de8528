"""A test runs each command that a message suggests.

Searches the string literals of the sources for commands of ringfence. Each must be in
remedies_known.py, with the test that runs it: a row of client/cases/fixes.py, in which the real
client is denied a call, the fix is applied and the call runs, or a case of another file.
"""

import re

import remedies_known
from repository import ROOT

FOLDERS = ("agents", "audit_log", "base", "policy", "hook", "run", "sandbox", "library", "cli")
COMMAND = re.compile(r"\bringfence (?:allow|revoke|trust|init|uninstall|explain|check|doctor|run|"
                     r"install|settings|log|replay|audit|prompt|manual|layout)\b|"
                     r"\b[Aa]sk the (?:user|administrator)|\b[Tt]he user can\b|/add-dir")
LITERALS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<text>(?:[^"\\\n]|\\.)*)"'
                      r"|'(?:[^'\\]|\\.)'", re.DOTALL)


def literals(source):
    """The texts of a source, with adjacent literals joined as the compiler does."""
    texts, end = [], None
    for found in LITERALS.finditer(source):
        text = found["raw"] if found["raw"] is not None else found["text"]
        if text is None:
            continue
        text = text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
        if end is not None and not source[end:found.start()].strip():
            texts[-1] += text
        else:
            texts.append(text)
        end = found.end()
    return texts


def suggestions():
    """(file, text) of each literal that names a command, except examples in the help."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.cc")) + sorted((ROOT / folder).rglob("*.h")):
            for text in literals(path.read_text()):
                if COMMAND.search(text) and not text.startswith("  ringfence "):
                    yield str(path.relative_to(ROOT)), text


def is_test(where):
    """"fix: NAME" or "session: NAME" of the client's cases, or "FILE: CASE"."""
    file, _, name = where.partition(": ")
    if file == "fix":
        source = (ROOT / "tests/system/client/cases/fixes.py").read_text()
        return f'Fix("{name}"' in source
    if file == "session":
        cases = (ROOT / "tests/system/client/cases").glob("*.py")
        return any(re.search(rf'\bSession\(\s*"{re.escape(name)}"', case.read_text()) for case in cases)
    if file == "text":
        return True
    return f"def {name}(" in (ROOT / "tests/system" / file).read_text()


def test_each_suggested_command_has_a_test(world):
    new = [f"{file}: {text!r}" for file, text in suggestions()
           if text not in remedies_known.TESTS and not is_plain(text)]
    assert not new, ("these suggest a command that no test carries out; add a row to "
                     "tests/system/client/cases/fixes.py and name it in remedies_known.py: " +
                     "; ".join(new))


def is_plain(text):
    """A title, help or note: names a command without suggesting it as a remedy."""
    return len(text) > 400 or any(text.startswith(start) for start in remedies_known.PLAIN)


def test_each_row_is_still_printed(world):
    printed = {text for _, text in suggestions()}
    stale = [text for text in remedies_known.TESTS if text not in printed]
    assert not stale, f"no source says these any more; remove them from remedies_known.py: {stale}"


def test_each_named_test_exists(world):
    missing = [where for where in remedies_known.TESTS.values() if not is_test(where)]
    assert not missing, missing


def test_the_scanner_joins_literals_like_the_compiler(world):
    source = '''
      // "ringfence init"
      Say("run: ringfence "
          "init --root " + path);  /* "ringfence trust" */
      char c = '"'; Say(R"(ringfence check)");
    '''
    assert literals(source) == ["run: ringfence init --root ", "ringfence check"], literals(source)
