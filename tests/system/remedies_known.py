"""Each text of the sources that suggests a command or a way out, and the test that carries it out.

"fix: NAME" is a row of client/cases/fixes.py: the real client is refused a call, the fix is applied as
the message says it, and the same call runs in the same session. "FILE: CASE" is a case of another
system test, for what is not said about a call. "text: WHY" suggests nothing that a test could do.
"""

ALLOW = "fix: a file to read"
TOOL = "fix: a tool of an MCP server"
AGAIN = "client_limits.py: a_registration_that_is_wrong_is_put_right_by_init"
USAGE = "text: how a command is used, said where it was used wrongly"

TESTS = {
    # What the hook tells the model.
    ", or ask the user to run: ringfence allow ": ALLOW,
    "If it is wanted, ask the user to run: ringfence allow ": TOOL,
    "Ask the user to run: ringfence allow ": TOOL,
    ", or ask the user to add it to that list of the profile": "fix: a profile that lacks it",
    ", or ask whoever looks after this machine to add it to that list":
        "text: only root can, in /etc; that other policies cannot is tested with them",
    ", or ask the user to look at the project's policy": "fix: a project's policy that narrows",
    "Its name says that it is a path to write to. If it is none, or is only read, the user can name "
    "this tool's paths under \"mcp\" in the policy.":
        "fix: an argument of an MCP tool that is no path",
    "start the client in a project's directory, or accept this one as a project and start the client "
    "again: ringfence init --root ": "client/cases/limits.py: accepts_the_home",
    " is not trusted: only what it denies, asks about or narrows counts. To use all of it, look at it "
    "and run: ringfence trust ": "fix: a project's policy that is not trusted",
    "look at it and run: ringfence trust": "fix: a project's policy that is not trusted",
    "write the policy, or run: ringfence init": "client_limits.py: a_policy_that_is_gone_comes_back",
    "Ask the user to install ringfence in a folder whose name has only letters, digits and "
    "_./:=@+,- and to run ringfence init there.": "text: an installation is no command of ringfence",
    # What commands tell the user.
    "run: ringfence-hook --help, or register it again with: ringfence init": AGAIN,
    "register it anew: ringfence init": AGAIN,
    "register it: ringfence init": "check.py: without_a_registration_nothing_is_decided",
    "take it out, or register the hook in the managed settings: ringfence init --managed":
        "check.py: managed_hooks_alone_leave_the_users_out",
    "ringfence init switches the client's sandbox off":
        "client_limits.py: init_switches_the_second_sandbox_off",
    "in the client's own sandbox nothing can be confined: run ringfence init, which switches it off "
    "where commands are wrapped": "client_limits.py: init_switches_the_second_sandbox_off",
    "ringfence init removes it if init --client-fence set it; otherwise remove it from the file":
        "fix: a file outside the client's own fence",
    "ringfence init": "fix: a file outside the client's own fence",
    "write that policy, or register without it: ringfence init":
        "client_limits.py: a_policy_that_is_gone_comes_back",
    "see the rows above; else register it anew: ringfence init": AGAIN,
    "\"bash\": {\"wrap\": true} in the policy, or the client's sandbox, or: ringfence run -- claude":
        "text: each of the three has sessions of its own (wrapped, settings, confined)",
    "look at it, then run: ringfence trust": "fix: a project's policy that is not trusted",
    "remove the key and run ringfence init again; until then nothing is enforced":
        "init.py: hooks_that_are_switched_off_are_no_success",
    ". Start it in a project's directory, or run: ringfence init --root ":
        "client_limits.py: the_home_becomes_a_project_by_root",
    "mend it and run ringfence init again; nothing was changed":
        "init.py: a_file_that_the_client_would_drop_is_not_touched",
    " cannot be found, and with failIfUnavailable the client would refuse to start. Install them (apt "
    "install bubblewrap socat, dnf install bubblewrap socat) and run ringfence init again":
        "init.py: the_sandbox_is_switched_on_where_it_can_be",
    "commands in the client's sandbox have a list of their own; ringfence init carries the entry over":
        "init.py: a_narrower_policy_narrows_the_sandbox",
    "it is not there: ringfence run makes a folder of that name; make the file first if it is to be "
    "one": "commands.py: allow_says_that_a_missing_name_becomes_a_folder",
    "write one with: ringfence init --project ": "init.py: init_names_project_and_local_files",
    "mend the file and run ringfence uninstall again; nothing was changed":
        "text: the same command once more",
    "nothing was run; ringfence run --dry-run shows the plan": "text: a dry run is one of the looks of changes_nothing.py",
    "make one: ringfence audit PATH... --baseline FILE --update":
        "audit.py: a_baseline_stops_what_was_not_meant",
    " does not belong to the chain of the log's other files: see ringfence log verify":
        "text: log verify has tests of its own",
    # Usage.
    "name a path, a host or a tool: ringfence allow ~/src/shared": USAGE,
    "ringfence run -- COMMAND [ARGUMENT...]": USAGE,
    "ringfence audit fixtures/": USAGE,
    "ringfence explain Read /etc/hosts": USAGE,
    "one for each pane: ringfence layout main worker": USAGE,
    "name files or folders: ringfence replay PATH": USAGE,
    "ringfence replay - < lines > lines": USAGE,
}

# Beginnings of texts that name a command and do not say that it would help.
PLAIN = (
    "ringfence enforces a policy on this session",
    "ringfence enter is what the hook writes",
    "<?xml", "#!/bin/sh", "// Agents side by side", "// What the coding agent may do", "\n  // The project",
    "--trial is for ringfence doctor", "; it was there at ringfence init",
    "  it is run by ringfence run", "its \"ringfence run\" has", "is no place of \"ringfence log send\"",
    "ringfence run confines the agent", "The client itself refuses", "--client-fence: the client itself",
    "Examples:\n",
)
