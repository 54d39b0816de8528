"""Policies as texts: without their comments, through the loader, and in documents."""

import dataclasses
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A string, which may contain text that looks like a comment; or a comment.
STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def without_comments(text):
    """The same text with blanks in place of comments, so that places stay the same."""

    def blank(match):
        found = match[0]
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)

    return STRING_OR_COMMENT.sub(blank, text)


@dataclasses.dataclass(frozen=True)
class Mistake:
    text: str  # "NAME:LINE:COLUMN: WHAT"
    hint: str

    def __str__(self):
        return self.text + (f"\n  Hint: {self.hint}" if self.hint else "")


class Loader:
    """The policy loader, as the program load_policy with optional options."""

    def __init__(self, *command):
        self.command = command

    def read_files(self, files):
        """The mistakes of each file; an empty list means that the policy is sound."""
        names = [str(file) for file in files]
        return self._ask(names, names, b"")

    def read_texts(self, texts):
        """The same for texts whose newlines do not matter; each is called "policy.json"."""
        lines = [text.replace("\n", " ").encode("utf-8", "surrogatepass") + b"\n" for text in texts]
        names = [str(number) for number in range(1, len(texts) + 1)]
        return self._ask(["--lines"], names, b"".join(lines))

    def _ask(self, arguments, names, text):
        found, spoken_of = {name: [] for name in names}, set()
        done = subprocess.run([*self.command, *arguments], input=text, capture_output=True,
                              check=False)
        for line in done.stdout.decode("utf-8", "replace").splitlines():
            name, *rest = line.split("\t")
            spoken_of.add(name)
            if rest != ["ok"]:
                found[name].append(Mistake(*rest))
        if done.returncode not in (0, 1) or spoken_of != set(names):
            raise RuntimeError(f"load_policy: status {done.returncode}: {done.stderr!r}, and nothing "
                               f"of {sorted(set(names) - spoken_of)[:10]}")
        return list(found.values())


def examples(document):
    """Every jsonc block of a Markdown file with its line: whole policies, or members of one."""
    text = document.read_text(encoding="utf-8")
    for match in re.finditer(r"^```jsonc\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start()) + 1
        block = without_comments(match[1])
        whole = block.lstrip().startswith("{")
        yield line, block if whole else '{ "version": 1, ' + block + "}"
