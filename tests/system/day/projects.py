"""The projects of the day: small, complete, and the same each time."""

import base64

# A red pixel, and one page that says "Delivery times".
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
PDF_OBJECTS = (
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 80]/Contents 4 0 R"
    "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
    "<</Length 41>>stream\nBT /F 12 Tf 20 40 Td (Delivery times) Tj ET\nendstream",
)

README = "# {0}\n\nRun the tests before you commit.\n"


def pdf():
    out, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(PDF_OBJECTS, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    count = len(PDF_OBJECTS) + 1
    return (f"{out}xref\n0 {count}\n0000000000 65535 f \n{table}"
            f"trailer\n<</Size {count}/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF\n").encode()


def notebook(source):
    cell = {"cell_type": "code", "id": "one", "source": [source], "metadata": {}, "outputs": [],
            "execution_count": None}
    return {"cells": [cell], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4,
            "nbformat_minor": 5}


JAVASCRIPT = {
    "package.json": {"name": "shop", "version": "1.2.0", "type": "commonjs", "scripts": {
        "test": "node --test test/", "build": "node scripts/build.js", "lint": "node --check src/cart.js"},
        "dependencies": {"pad-start": "1.0.0"}},
    "README.md": README.format("shop"),
    ".gitignore": "node_modules/\ndist/\n.env\n",
    ".env": "SHOP_TOKEN=not-for-models\n",
    ".env.example": "SHOP_TOKEN=\n",
    "CLAUDE.md": "Use `npm test`.\n",
    "src/cart.js": "const pad = require('pad-start');\n\n"
                   "// TODO: discounts\n"
                   "function total(items) {\n"
                   "  return items.reduce((sum, item) => sum + item.price * item.count, 0);\n}\n\n"
                   "function line(item) {\n"
                   "  return pad(item.name, 10) + ' ' + item.price;\n}\n\n"
                   "module.exports = { total, line };\n",
    "src/server.js": "const http = require('http');\n\n"
                     "http.createServer((_, answer) => answer.end('{\"open\": true}'))\n"
                     "  .listen(0, '127.0.0.1', function () { console.log(this.address().port); });\n",
    "src/legacy.js": "var shop = {};\nshop.name = 'old shop';\nmodule.exports = shop;\n",
    "test/cart.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
                         "const { total } = require('../src/cart');\n\n"
                         "test('adds up', () => {\n"
                         "  assert.equal(total([{ price: 2, count: 3 }, { price: 1, count: 1 }]), 7);\n"
                         "});\n",
    "scripts/build.js": "const fs = require('fs');\nfs.mkdirSync('dist', { recursive: true });\n"
                        "fs.copyFileSync('src/cart.js', 'dist/cart.js');\nconsole.log('built dist/cart.js');\n",
    "data/orders.json": {"orders": [{"id": 1, "open": True}, {"id": 2, "open": False}]},
    "notebooks/sales.ipynb": notebook("print(1)"),
    ".github/workflows/ci.yml": "on: push\njobs: {}\n",
    "node_modules/pad-start/package.json": {"name": "pad-start", "version": "1.0.0", "main": "index.js"},
    "node_modules/pad-start/index.js": "module.exports = (text, width) => String(text).padStart(width);\n",
    "node_modules/.package-lock.json": {"name": "shop", "lockfileVersion": 3, "packages": {}},
}

PYTHON = {
    "pyproject.toml": "[project]\nname = \"report\"\nversion = \"0.3.0\"\n",
    "README.md": README.format("report"),
    ".gitignore": "__pycache__/\n.venv/\nout/\n",
    "report/__init__.py": "",
    "report/__main__.py": "import sys\n\nfrom report.totals import totals\n\n"
                          "for name, value in totals(sys.argv[1]).items():\n    print(f\"{name}: {value}\")\n",
    "report/totals.py": "import csv\n\n\ndef totals(path):\n    \"\"\"Sums of the second column.\"\"\"\n"
                        "    sums = {}\n    with open(path, newline=\"\") as file:\n"
                        "        for name, value in csv.reader(file):\n"
                        "            sums[name] = sums.get(name, 0) + int(value)\n    return sums\n",
    "tests/__init__.py": "",
    "tests/test_totals.py": "import pathlib\nimport tempfile\nimport unittest\n\n"
                            "from report.totals import totals\n\n\nclass TotalsTest(unittest.TestCase):\n"
                            "    def test_sums(self):\n"
                            "        with tempfile.TemporaryDirectory() as folder:\n"
                            "            file = pathlib.Path(folder, \"a.csv\")\n"
                            "            file.write_text(\"x,1\\nx,2\\ny,5\\n\")\n"
                            "            self.assertEqual(totals(file), {\"x\": 3, \"y\": 5})\n",
    "data/sales.csv": "north,10\nsouth,20\nnorth,5\n",
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
    ".venv/lib/python3/site-packages/tables/__init__.py": "def render(rows):\n    return rows\n",
}

C = {
    "Makefile": "CFLAGS = -Wall -Iinclude\n\ncalc: src/main.c src/calc.c include/calc.h\n"
                "\t$(CC) $(CFLAGS) -o $@ src/main.c src/calc.c\n\n"
                "test: calc\n\ttest \"$$(./calc 2 3)\" = 5 && echo all tests passed\n\n"
                "clean:\n\trm -f calc *.o\n\n.PHONY: test clean\n",
    "README.md": README.format("calc"),
    ".gitignore": "calc\n*.o\n",
    "include/calc.h": "int Add(int a, int b);\n",
    "src/calc.c": "#include \"calc.h\"\n\nint Add(int a, int b) { return a + b; }\n",
    "src/main.c": "#include <stdio.h>\n#include <stdlib.h>\n\n#include \"calc.h\"\n\n"
                  "int main(int argc, char** argv) {\n  if (argc < 3) return 1;\n"
                  "  printf(\"%d\\n\", Add(atoi(argv[1]), atoi(argv[2])));\n  return 0;\n}\n",
}

NOTES = {
    "README.md": README.format("notes"),
    "ideas.md": "- one\n- two\n",
    "chapters/one.md": "First.\n",
    "chapters/two.md": "Second.\n",
}

FILES = {"javascript": JAVASCRIPT, "python": PYTHON, "c": C, "git": NOTES}
BINARY = {"javascript": {"assets/logo.png": PNG, "docs/delivery.pdf": pdf()}}


def build(world, name):
    """The project `name` with a history of two commits."""
    for path, content in FILES[name].items():
        world.write(f"$PROJECT/{path}", content)
    for path, content in BINARY.get(name, {}).items():
        file = world.path(f"$PROJECT/{path}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


