"""Plays the scripts of one session, and checks each call when its result reaches the model.

Checking before the next call starts means that a check sees the disk as the call left it.
"""

import dataclasses
import threading
import traceback

import fake_api
import script

HANDBACK = "SubagentHandback"  # ends a subagent: no request follows


@dataclasses.dataclass
class Outcome:
    """The result of a case; it passed if there are no problems."""

    name: str
    problems: list


class _Conversation:
    """One script, split into messages: the preparation steps of each, and its calls."""

    def __init__(self, name, steps):
        self.name, self.lock, self.prepared = name, threading.Lock(), 0
        self.messages, preparations = [], []
        for step in steps:
            if isinstance(step, script.Do):
                preparations.append(step)
            else:
                self.messages.append((preparations, step.calls))
                preparations = []
        self.messages.append((preparations, ()))  # steps after the last call
        self.finished = threading.Event()

    def call_id(self, turn, index):
        return f"toolu_{self.name}_{turn}_{index}"

    def turns_played(self, messages):
        """The progress of the conversation, by the client's own record."""
        said = {block.get("id") for block in _blocks(messages, "assistant")}
        return sum(self.call_id(turn, 0) in said for turn in range(len(self.messages)))


class Director:
    """Answers the client's requests from the scripts and checks the calls, from many threads."""

    def __init__(self, scripts, stage):
        self._stage = stage
        self._conversations = {name: _Conversation(name, steps) for name, steps in scripts.items()}
        self._calls = {conversation.call_id(turn, index): call
                       for conversation in self._conversations.values()
                       for turn, (_, calls) in enumerate(conversation.messages)
                       for index, call in enumerate(calls)}
        self._outcomes, self._trouble = {}, []
        self._told = {}  # by a call's name: the model's text about it
        self._offered = set()  # names of tools, in the main conversation
        self._requests = []  # (name of the script or None, all texts in it)

    # The model's side.

    def next_blocks(self, request):
        conversation = self._conversation_of(request)
        self._requests.append((conversation and conversation.name, _everything_said(request)))
        if conversation is not None and conversation.name == "main":
            self._offered.update(tool["name"] for tool in request["tools"])
        if conversation is None:
            return [fake_api.text_block(_aside(request))]
        with conversation.lock:
            try:
                return self._play(conversation, request["messages"])
            except Exception:  # without an answer, the client retries until the time is up
                self._trouble.append(traceback.format_exc())
                return [fake_api.text_block("the script failed")]

    def _conversation_of(self, request):
        """The script named first: quotes in later messages do not count."""
        if not request.get("tools"):
            return None
        for message in request["messages"]:
            name = script.played_by(fake_api.text_of(message["content"]))
            if name:
                return self._conversations[name]
        return None

    def _play(self, conversation, messages):
        self.check_results(messages)
        turn = conversation.turns_played(messages)
        if turn >= len(conversation.messages):
            return [fake_api.text_block("done")]
        preparations, calls = conversation.messages[turn]
        if conversation.prepared == turn:  # a repeated request must not repeat the steps
            conversation.prepared += 1
            for step in preparations:
                step.action(self._stage)
        if not calls:
            conversation.finished.set()
            return [fake_api.text_block("done")]
        if any(call.use[0] == HANDBACK for call in calls):
            conversation.finished.set()
        return [self._block(conversation, turn, index, call, messages)
                for index, call in enumerate(calls)]

    def _block(self, conversation, turn, index, call, messages):
        tool, tool_input = call.use
        said = fake_api.text_of(messages[-1]["content"])
        filled = {key: value.within(said) if isinstance(value, script.Found) else value
                  for key, value in tool_input.items()}
        return fake_api.tool_block(conversation.call_id(turn, index), tool,
                                   self._stage.world.expand(filled))

    def wait_until_finished(self, name, seconds=30):
        if not self._conversations[name].finished.wait(seconds):
            raise TimeoutError(f"the script {name!r} was not played to its end")

    def was_asked(self):
        """True if the main conversation reached the model."""
        return any(name == "main" for name, _ in self._requests)

    # The checking side.

    def check_results(self, messages):
        for block in _tool_results(messages):
            call_id = block["tool_use_id"]
            if call_id in self._calls and call_id not in self._outcomes:
                self._outcomes[call_id] = self._check(self._calls[call_id], block)

    def _check(self, call, result):
        self._told[call.name] = fake_api.text_of(result.get("content"))
        return Outcome(call.name, call.problems(self._stage.world, result))

    def told(self, name):
        """The text that the model got about the call of that name, which has been checked."""
        return self._told[name]

    def outcomes(self):
        """One result for each call, in the order of the scripts."""
        never = ["no result ever reached the model"]
        return [self._outcomes.get(call_id) or Outcome(call.name, never)
                for call_id, call in self._calls.items()]

    def heard(self, wish):
        said = "".join(said for name, said in self._requests if name == wish.conversation)
        return Outcome(wish.name, [f"the model never heard {fragment!r}" for fragment
                                   in self._stage.world.expand(wish.fragments)
                                   if fragment not in said])

    def offered(self, wish):
        problems = [f"{tool} was not offered" for tool in wish.tools if tool not in self._offered]
        problems += [f"{tool} WAS OFFERED" for tool in wish.others if tool in self._offered]
        if problems:
            problems.append(f"offered were {sorted(self._offered)}")
        return Outcome(wish.name, problems)

    def ever_heard(self, text):
        return any(text in said for _, said in self._requests)

    def trouble(self):
        return list(self._trouble)


def _aside(request):
    """The answer to a request outside the play: a title, a summary, or the safety check of the
    mode "auto", which gets the answer that the action is harmless."""
    asks_for_severity = "<severity>" in fake_api.text_of(request.get("system"))
    return "<severity>5</severity>" if asks_for_severity else "ok"


def _blocks(messages, role):
    for message in messages:
        if message["role"] == role and isinstance(message["content"], list):
            yield from message["content"]


def _tool_results(messages):
    return (block for block in _blocks(messages, "user") if block["type"] == "tool_result")


def _everything_said(request):
    """The system prompt and all messages of a request as text."""
    said = [fake_api.text_of(request.get("system"))]
    said += [fake_api.text_of(message.get("content")) for message in request["messages"]]
    return "\n".join(said)
