"""The table of cases: every session, in the order in which they are played.

A case is a `Call(name, tool call, what the model must be told, checks of the disk...)` in the
script of a session. Calls of one session share a client, a project and what earlier calls did to it, and
the client itself refuses an edit of a file it has not read and is brief about a second read of the
same one: so a new case uses files of its own.
"""

from cases import (agents, confined, files, fixes, groups, limits, modes, policies, registration, replayed,
                   repository, settings, shell, wrapped)

SESSIONS = (*files.SESSIONS, *shell.SESSIONS, *repository.SESSIONS, *wrapped.SESSIONS, *policies.SESSIONS,
            *agents.SESSIONS, *groups.SESSIONS, *modes.SESSIONS, *registration.SESSIONS, *settings.SESSIONS,
            *confined.SESSIONS, *fixes.SESSIONS, *limits.SESSIONS, *replayed.SESSIONS)
