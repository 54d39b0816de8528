#!/usr/bin/env python3
"""Generates the fuzzers' seeds from the fixtures.

    seeds.py DIR      writes DIR/event_fuzz, DIR/policy_fuzz, DIR/path_fuzz, DIR/pattern_fuzz,
                      DIR/replay_fuzz, DIR/failure_fuzz, DIR/kdl_fuzz and DIR/merge_fuzz

A fixture with an event, a policy or both gives one seed for each; a failure gives a seed with
its text. Strings in fixtures that look like paths and patterns are seeds for those two fuzzers.
"""

import hashlib
import json
import pathlib
import sys

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"


def documents():
    """Every JSON document among the fixtures, as (text, value); value is None for broken ones."""
    for file in sorted(FIXTURES.rglob("*")):
        if file.suffix not in (".json", ".jsonl") or not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        for part in text.splitlines() if file.suffix == ".jsonl" else [text]:
            try:
                yield part, json.loads(part)
            except ValueError:
                yield part, None


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def seeds_of(text, value):
    """The seeds of one document, as (fuzzer, text)."""
    if value is None:
        yield "event", text
        yield "policy", text
        return
    if not isinstance(value, dict):
        return
    if "hook_event_name" in value:
        yield "event", text
    if "hook_event_name" in value or "sessionId" in value:
        yield "replay", text
    if "version" in value:
        yield "policy", text
    if isinstance(value.get("event"), dict) and "error" in value["event"]:
        yield "failure", value["event"]["error"]
    for key, fuzzer in (("event", "event"), ("stdin", "event"), ("stdin_raw", "event"),
                        ("policy", "policy"), ("policy_raw", "policy")):
        part = value.get(key)
        if part:
            yield fuzzer, part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
    for word in strings(value):
        if "/" in word and len(word) < 200:
            yield "path", word
        if set(word) & set("*?[") and len(word) < 40:
            yield "pattern", "\x03" + word + "\n" + word.replace("*", "a")


def merges():
    """The three texts of each case of fixtures/merges that has them."""
    for case in sorted((FIXTURES / "merges").iterdir()):
        texts = [case / name for name in ("base", "ours", "theirs")]
        if all(text.exists() for text in texts):
            yield b"\x1e".join(text.read_bytes() for text in texts)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = pathlib.Path(sys.argv[1])
    seeds = [seed for text, value in documents() for seed in seeds_of(text, value)]
    seeds += [("kdl", file.read_text(encoding="utf-8")) for file in FIXTURES.rglob("*.kdl")]
    seeds += [("merge", seed) for seed in merges()]
    for fuzzer, seed in seeds:
        content = seed if isinstance(seed, bytes) else seed.encode("utf-8", "surrogatepass")
        file = target / f"{fuzzer}_fuzz" / hashlib.sha256(content).hexdigest()[:16]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


if __name__ == "__main__":
    main()
