"""The table of cases: all sessions, in playing order.

A case is a `Call(name, tool call, what the model must see, checks of the disk...)` in the script
of a session. Calls of one session share a client, a project and the changes of earlier calls.
The client itself refuses to edit a file that it has not read, and shortens a second read of the
same file, so a new case uses its own files.
"""

from cases import (agents, confined, files, fixes, groups, limits, modes, policies, registration, replayed,
                   repository, settings, shell, wrapped)

SESSIONS = (*files.SESSIONS, *shell.SESSIONS, *repository.SESSIONS, *wrapped.SESSIONS, *policies.SESSIONS,
            *agents.SESSIONS, *groups.SESSIONS, *modes.SESSIONS, *registration.SESSIONS, *settings.SESSIONS,
            *confined.SESSIONS, *fixes.SESSIONS, *limits.SESSIONS, *replayed.SESSIONS)
