"""The schema, the document and the man page of the policy, as derived from the table of keys
(policy/load/key_rows.h)."""

import copy
import json
import math
import re
import textwrap

WIDTH = 100
NO_NUL = "\\u0000"
# The host is one of the schema's hosts, with a port.
PROXY_URL = (
    r"^[Hh][Tt][Tt][Pp]://(?!.*\.[Rr][Ii][Nn][Gg][Ff][Ee][Nn][Cc][Ee](?::|$))"
    r"(?:(?:[A-Za-z0-9_-]{1,63}\.)*[A-Za-z_-][A-Za-z0-9_-]{0,62}"
    r"|(?:(?:[1-9]?[0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])(?:\.(?!$|:)|(?=$|:))){4}"
    r"|\[[0-9A-Fa-f:.]{2,}\]):(?=[0-9]{1,5}$)0*(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}"
    r"|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$")
FORMS = {
    "any": {"type": "string"},
    "not empty": {"type": "string", "minLength": 1, "not": {"pattern": NO_NUL}},
    "variable": {"type": "string", "minLength": 1, "not": {"pattern": f"[{NO_NUL}=]"}},
    "directory name": {"type": "string", "pattern": "^[^/]+$"},
    "own path": {"$ref": "#/$defs/ownPath"},
    "proxy url": {"type": "string", "maxLength": 268, "pattern": PROXY_URL},
}
TYPES = {"switch": "boolean", "choice": "string", "size": "string, a size", "text": "string",
         "texts": "array"}
UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def at_least(number):
    """A pattern for whole numbers from `number` up, without leading zeros."""
    digits = str(number)
    above = [digits[:i] + (f"[{int(digit) + 1}-9]" if digit < "9" else "") + f"[0-9]{{{rest}}}"
             for i, digit in enumerate(digits)
             for rest in [len(digits) - i - 1] if digit < "9"]
    return "|".join([digits, *above, f"[1-9][0-9]{{{len(digits)},}}"])


def size_schema(least):
    """A pattern for a size of up to six digits; `least` is a size such as "16M"."""
    if not least:
        return {"$ref": "#/$defs/size"}
    bytes_ = int(least.rstrip("KMGT")) * UNITS.get(least[-1], 1)
    counts = [(unit, math.ceil(bytes_ / factor)) for unit, factor in ({"": 1} | UNITS).items()]
    ways = [f"(?:{at_least(count)}){unit}" for unit, count in counts if count < 1000000]
    return {"type": "string", "pattern": f"^(?=[0-9]{{1,6}}[KMGT]?$)0*(?:{'|'.join(ways)})$",
            "examples": [least, "8G"]}


def number_schema(key):
    if key["whole"]:
        return {"type": "integer", "minimum": key["least"], "maximum": key["most"]}
    return {"type": "number", "exclusiveMinimum": key["least"], "maximum": key["most"]}


def schema_of(key):
    """The schema of a value of the key."""
    kind = key["kind"]
    if kind == "switch":
        return {"type": "boolean"}
    if kind == "choice":
        return {"type": "string", "enum": key["choices"]}
    if kind == "size":
        return size_schema(key["least_size"])
    if kind == "number":
        return number_schema(key)
    form = FORMS[key["form"]]
    return form if kind == "text" else {"type": "array", "items": form}


def description_of(key):
    """The key's line of the document as plain text, without links in parentheses."""
    text = re.sub(r" \(\[[^\]]*\]\([^)]*\)\)", "", key["meaning"])
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "")
    without = key["without"].replace("`", "")
    usual = f" Default: {without}." if key["without"].startswith("`") else ""
    return text[:1].upper() + text[1:] + "." + usual


def section_of(schema, name):
    """The object of the schema that holds the section, which several objects may share."""
    node = schema["properties"].get(name)
    if node is None:
        return None
    return schema["$defs"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node


def with_keys(schema, keys):
    """`schema` with every key of the table as described by its row; the objects must exist."""
    schema = copy.deepcopy(schema)
    for key in keys:
        *objects, last = key["name"].split(".")
        said = {"description": description_of(key), **schema_of(key)}
        if not objects:  # a profile has it, too
            schema["$defs"][last] = said
            for place in (schema, schema["$defs"]["profile"]):
                place["properties"][last] = {"$ref": f"#/$defs/{last}"}
            continue
        node = section_of(schema, objects[0])
        for name in objects[1:]:
            node = node and node["properties"].get(name)
        if node is None:
            raise ValueError(f"{key['name']}: describe {'.'.join(objects)} in the schema first")
        node["properties"][last] = said
    return schema


def type_of(key):
    if key["kind"] == "number":
        return "number, whole" if key["whole"] else "number"
    return TYPES[key["kind"]]


def row_of(key):
    """The key's line in a table of the document."""
    cells = [f"`{key['name']}`", type_of(key), key["without"], key["meaning"], key["several"]]
    return f"| {' | '.join(cells)} |"


def with_rows(document, keys):
    """`document` with the line of every key; a new line goes after the last one of its object."""
    lines = document.split("\n")
    for key in keys:
        begin = f"| `{key['name']}` |"
        around = key["name"].rpartition(".")[0]
        places = [i for i, line in enumerate(lines) if line.startswith(begin)]
        if places:
            lines[places[0]] = row_of(key)
            continue
        beside = f"| `{around}." if around else "| `permitted` |"
        places = [i for i, line in enumerate(lines) if line.startswith(beside)]
        if not places:
            raise ValueError(f"{key['name']}: begin a table for {around} in the document first")
        lines.insert(places[-1] + 1, row_of(key))
    return "\n".join(lines)


def item_of(key):
    """The key's lines in the man page."""
    lines = textwrap.wrap(description_of(key).replace("\\", "\\e"), WIDTH)
    return [f".It Sy {key['name']}"] + [re.sub(r"^(?=[.'])", r"\\&", line) for line in lines]


def with_items(page, keys):
    """`page` with the item of every key; a new item goes after the last one of its object."""
    lines = page.split("\n")
    for key in keys:
        around = key["name"].rpartition(".")[0]
        names = [i for i, line in enumerate(lines) if line == f".It Sy {key['name']}"]
        beside = names or [i for i, line in enumerate(lines)
                           if line.startswith(f".It Sy {around or 'permitted'}")]
        if not beside:
            raise ValueError(f"{key['name']}: write an item of {around} into the man page first")
        end = next(i for i in range(beside[-1] + 1, len(lines)) if re.match(r"\.(It|El)", lines[i]))
        lines[beside[-1] if names else end:end] = item_of(key)
    return "\n".join(lines)


def on_one_line(value):
    """JSON as an editor would write it on one line."""
    if isinstance(value, dict) and value:
        members = (f"{json.dumps(name)}: {on_one_line(member)}" for name, member in value.items())
        return f"{{ {', '.join(members)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(on_one_line, value))}]"
    return json.dumps(value)


def formatted(value, indent="", taken=0):
    """JSON of at most WIDTH columns if possible; `taken`: columns used before and after."""
    line = on_one_line(value)
    if not isinstance(value, (dict, list)) or not value or len(indent + line) + taken <= WIDTH:
        return line
    inner = indent + "  "
    names = [json.dumps(name) + ": " for name in value] if isinstance(value, dict) else [""] * len(value)
    members = value.values() if isinstance(value, dict) else value
    shown = [f"{inner}{name}{formatted(member, inner, len(name) + 1)}"
             for name, member in zip(names, members)]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n" + ",\n".join(shown) + f"\n{indent}{end}"
