"""Each text of the sources that suggests a command or a remedy, and the test that runs it.

"fix: NAME" is a row of client/cases/fixes.py: the real client is denied a call, the fix is
applied as the message says, and the same call runs in the same session. "session: NAME" is a
session of another file of client/cases that does so. "FILE: CASE" is a case of another system
test, for texts that are not about a call. "text: WHY" suggests nothing that a test could run.
"""

ALLOW = "fix: a file to read"
TRUST = "fix: a project's policy that is not trusted"
AGAIN = "cli/test_client_limits.py: test_the_suggested_init_registers_in_the_same_file"
USAGE = "text: how a command is used, said where it was used wrongly"

TESTS = {
    # Texts of the hook for the model.
    "`ringfence allow ": ALLOW,
    "Ask the user to run ": "fix: a tool of an MCP server",
    "Ask the user to add it to this list of the profile": "fix: a profile that lacks it",
    "Ask the administrator of this machine to add it to this list":
        "text: only root can, in /etc; that other policies cannot is tested with them",
    "Ask the user to add it to the project's own policy": "fix: a project's policy that narrows",
    "Ask the user to add it to the policy.":
        "text: where no command can name it or the policy; an entry by hand is tested with a profile's",
    "Ask the user to list ": "cli/test_allow_hosts.py: test_a_port_of_this_machine_goes_into_the_users_policy",
    "Ask the user to add ": "proxy/test_hosts.py: test_private_addresses_need_an_entry",
    "; it counts for the agent's own tools only, and commands in a sandbox reach this machine by: ringfence allow ":
        "cli/test_network_checks.py: test_a_loopback_entry_names_the_one_of_this_machine",
    "leave --session out, or give the command a session: ringfence run --session ID; then: "
    "ringfence allow --session-id ID": "proxy/test_texts.py: test_a_refusal_of_no_session_is_allowed_as_the_error_says",
    "remove it here, and run: ringfence allow ":
        "cli/test_allow_hosts.py: test_a_projects_policy_that_names_a_port_of_this_machine_is_refused",
    "Ask the user to make this change.": "text: the policy stays as it is, and so does the refusal",
    "? The user can add \"mcp\": {": "fix: an argument of an MCP tool that is not a path",
    ", ask the user to add \"root\": \"git\" to ~/.config/ringfence/policy.json.":
        "session: a part of a repository",
    " may, by ringfence allow --session": "cli/test_explain.py: test_explain_names_a_session_that_has_access",
    "With what ringfence allow --session permitted in this session":
        "cli/test_explain.py: test_explain_names_a_session_that_has_access",
    "Ask the user to do it, or to ":
        "session: auto mode is left",
    "start the client in a project's directory, or accept this one as a project and start the client "
    "again: ringfence init --root ": "client/cases/limits.py: accepts_the_home",
    "Prompts are off here: ask the user to make this edit.":
        "text: what only a person does; the refusal is tested with links and writes that run later",
    ": ringfence trust ": TRUST,
    " there: ringfence trust": TRUST,
    "look at it and run: ringfence trust": TRUST,
    "Ask the user to install ringfence in a directory whose name has only letters, digits and "
    "_./:=@+,- and to run ringfence init there.": "text: an installation is not a command of ringfence",
    # Texts of commands for the user.
    "register the hook in your settings: ringfence init":
        "packages/test_plugin.py: test_a_removed_tree_opens_the_plugin_but_not_the_settings",
    "register the hook in your settings as well: ringfence init":
        "packages/test_plugin.py: test_a_project_can_disable_the_plugin_but_not_the_settings",
    "That cannot be repeated as a command. Type it in a terminal: ringfence allow": USAGE,
    "/ringfence:doctor takes no arguments. In a terminal, it has options: ringfence doctor --help": USAGE,
    "Name a path, a host, or a tool and its argument, without options: /ringfence:explain Read /etc/hosts. "
    "In a terminal, it has options: ringfence explain --help": USAGE,
    ". To permit one, run: ringfence allow ": "session: a package cache in the home",
    ", and ringfence init again. Then they can also change what your other projects take from it":
        "session: a package cache in the home",
    "run: ringfence-hook --help, or register it again with: ringfence init":
        "cli/test_client_limits.py: test_init_repairs_a_wrong_registration",
    "ringfence init": AGAIN,
    "approve the settings as they are: ringfence init": "cli/test_init.py: test_a_damaged_state_file_can_be_moved_away",
    "trust each project again: ringfence trust": "cli/test_trust.py: test_a_damaged_store_can_be_moved_away",
    "; this decision is not logged (see ringfence doctor)":
        "cli/test_log.py: test_a_log_that_is_not_a_file_or_is_empty",
    "name a tool and its argument: ringfence explain Read /etc/hosts": USAGE,
    "ringfence explain ": "cli/test_allow.py: test_allow_of_an_unknown_set_names_the_command_that_lists_them",
    "remove it, or register the hook in the managed settings: ringfence init --managed":
        "cli/test_check.py: test_allow_managed_hooks_only_disables_the_users_hook",
    "nothing can be confined inside the client's own sandbox: run ringfence init, which switches it off "
    "where commands are wrapped": "cli/test_client_limits.py: test_init_disables_the_second_sandbox",
    "write that policy, or register without it: ringfence init":
        "cli/test_client_limits.py: test_init_recreates_a_missing_policy",
    " to switch the client's sandbox on, or: ringfence run -- claude":
        "text: each of the three has sessions of its own (wrapped, settings, confined)",
    "read it, then run: ringfence trust": TRUST,
    ", and run: ringfence trust": TRUST,
    "if you have read it, run: ringfence trust --yes --digest ": TRUST,
    "the digest was mistyped, or the file is not the one that was read; nothing was trusted. Read it and "
    "take its digest from: ringfence trust":
        "cli/test_trust.py: test_trust_without_a_terminal_needs_the_digest",
    "remove the key and run ringfence init again; until then nothing is enforced":
        "cli/test_init.py: test_disabled_hooks_are_an_error",
    ", or run: ringfence init --root ":
        "cli/test_client_limits.py: test_root_makes_the_home_a_project",
    "fix it and run ringfence init again; nothing was changed":
        "cli/test_init.py: test_an_invalid_settings_file_is_not_touched",
    " cannot be found, and with failIfUnavailable the client would refuse to start. Install them (apt "
    "install bubblewrap socat, dnf install bubblewrap socat) and run ringfence init again":
        "cli/test_init.py: test_the_client_sandbox_is_enabled_where_it_works",
    "it does not exist: ringfence run creates a directory of that name; if it is to be a file, create "
    "the file first": "cli/test_allow.py: test_allow_says_that_a_missing_path_becomes_a_directory",
    "write one with: ringfence init --project ": "cli/test_init.py: test_init_registers_in_project_and_local_files",
    "move it away, or install elsewhere: ringfence install --prefix DIR":
        "cli/test_install.py: test_what_is_in_the_way_stays",
    "first copy the programs to a place that stays: ringfence install; then run init from there: "
    "~/.local/bin/ringfence init": "cli/test_install.py: test_init_refuses_programs_in_npms_directory",
    "fix the file and run ringfence uninstall again; nothing was changed":
        "text: the same command once more",
    "nothing was run; ringfence run --dry-run shows the plan": "text: a dry run is one of the looks of changes_nothing.py",
    "make one: ringfence audit PATH... --baseline FILE --update":
        "cli/test_audit.py: test_a_baseline_reports_changed_decisions",
    " does not belong to the chain of the log's other files: see ringfence log verify":
        "text: log verify has tests of its own",
    "no ringfence allow lifts ": "cli/test_allow.py: test_allow_names_the_setting_that_lifts_a_built_in_rule",
    "by default it may be read; ringfence revoke --read takes that away":
        "cli/test_revoke.py: test_revoke_of_write_access_keeps_read_access",
    "ringfence allow": "cli/test_allow.py: test_allow_session_does_not_guess_between_sessions",
    "ringfence revoke": "cli/test_allow.py: test_allow_session_does_not_guess_between_sessions",
    " still may, by ringfence allow --session": "cli/test_revoke.py: test_revoke_names_a_session_that_still_has_access",
    "ringfence revoke --session-id ": "cli/test_revoke.py: test_revoke_names_a_session_that_still_has_access",
    # Usage.
    "ringfence run -- COMMAND [ARGUMENT...]": USAGE,
    "ringfence audit fixtures/": USAGE,
    "ringfence explain /etc/hosts, or: ringfence explain Read /etc/hosts": USAGE,
    "name one for each pane: ringfence layout main worker": USAGE,
    "name files or directories: ringfence replay PATH": USAGE,
    "ringfence replay - < lines > lines": USAGE,
}

# Beginnings of texts that name a command without suggesting it as a remedy.
PLAIN = (
    "the sandbox cannot ask, so commands in ringfence run ",
    "The hook puts ringfence enter in front of a command",
    "<?xml", "#!/bin/sh", "// Agents side by side", "// What the coding agent may do", "\n  // The project",
    "--trial is for ringfence doctor", "; it was there at ringfence init",
    "its \"ringfence run\" has", "was not written by \"ringfence log send\"",
    "ringfence run confines the agent", "Claude Code itself refuses", "--client-fence: the client itself",
    "Examples:\n", "Only if the file has this SHA-256",
    "): they run inside the client, outside of every sandbox",
)
