// What the files of the escape probe share.
//
//   escape_probe list                  prints the names of the rows
//   escape_probe FIXTURE_FILE [ROW...] tries the rows, all of them when none is named
//
// It runs inside a sandbox, in the project's folder, and tries to get out;
// tests/system/run/test_escape.py builds what it is to reach, starts it, and looks at the effect
// from outside. Static, so that it needs nothing of what the sandbox shows. For each row a line
//
//   ROW <tab> open|stopped|works|broken|skipped <tab> DETAIL
//
// where DETAIL names the last call and its error. "open" says that the calls succeeded in here:
// what that means outside, only somebody outside can say. Rows named fn-* are no attempts but what
// ordinary work needs; they say works or broken. Rows with x- go beyond what other sandboxes were
// measured with: names below the project by which somebody else would run code later.
//
// Each row runs in a child of its own with a time limit: a signal from a system call filter and a
// call that never returns are verdicts too. No row harms a machine on which it succeeds: what only
// root could do is tried with the value that is there already, or with a call that stops short.
//
// FIXTURE_FILE has a line KEY=VALUE for each thing outside: folders, names, ports, numbers.
//
// A row is one function and one entry in the table at the end of its file.
#pragma once

#include <stddef.h>
#include <sys/types.h>

typedef enum { kOpen, kStopped, kWorks, kBroken, kSkipped } Verdict;

typedef struct {
  const char* name;
  Verdict (*run)(void);
} Row;

typedef struct {
  const Row* rows;
  size_t count;
} RowTable;

#define TABLE(rows) \
  { rows, sizeof(rows) / sizeof((rows)[0]) }

extern const RowTable kFileRows;            // probe_files.c: files outside
extern const RowTable kNameRows;            // probe_names.c: names that somebody runs later
extern const RowTable kSecretRows;          // probe_files.c
extern const RowTable kProcessRows;         // probe_processes.c
extern const RowTable kNetworkRows;         // probe_network.c: sockets, shared memory, keys
extern const RowTable kPrivilegeRows;       // probe_privileges.c: capabilities, mounts, namespaces
extern const RowTable kKernelRows;          // probe_kernel.c: calls with a past, devices, limits
extern const RowTable kFunctionRows;        // probe_functions.c
extern const RowTable kMoreNameRows;        // probe_more_names.c: the same names by other calls
extern const RowTable kMoreWayRows;         // probe_more_ways.c: by other ways to walk to them
extern const RowTable kRaceRows;            // probe_races.c: by an argument that keeps changing
extern const RowTable kMoreFunctionRows;    // probe_more_functions.c: what a supervisor may break
extern const RowTable kMoreSemanticsRows;   // probe_more_semantics.c: flags, errors, rights
extern const RowTable kOwnTreeRows;         // probe_own_trees.c: names left to a new work tree
extern const RowTable kStreamRows;          // probe_streams.c: the standard streams, set-user-ID
extern const RowTable kDeviceRows;          // probe_streams.c: devices of the host
extern const RowTable kDeviceFunctionRows;  // probe_streams.c: using them
extern const RowTable kSignalRows;          // probe_signals.c: what Landlock learned late
extern const RowTable kSharedRows;          // probe_shared.c: what all processes of the user share

// --- verdicts -----------------------------------------------------------------------------------

// They keep the detail and return the verdict, so that a check ends in `return Stopped("open")`.
// Stopped() and Broken() name the call and what errno holds.
Verdict Open(const char* format, ...) __attribute__((format(printf, 1, 2)));
Verdict Stopped(const char* call);
Verdict StoppedAs(const char* format, ...) __attribute__((format(printf, 1, 2)));
Verdict Works(void);
Verdict Broken(const char* call);
Verdict BrokenAs(const char* format, ...) __attribute__((format(printf, 1, 2)));
Verdict Skipped(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Open when `result` is not -1.
Verdict Tried(const char* call, long result);

// --- the fixture --------------------------------------------------------------------------------

// A value of the fixture. Ends the row as skipped where it has none.
const char* Fixture(const char* key);
long FixtureNumber(const char* key);

// DIR/NAME for the folder that the fixture calls `folder`; good until the fourth call after it.
const char* In(const char* folder, const char* name);

// --- small tools --------------------------------------------------------------------------------

// What every write leaves behind, for the one who looks from outside.
extern const char kMark[];

// Opens, writes kMark, closes; -1 with errno when any of it failed. `flags` are added to O_WRONLY.
int PutMark(const char* path, int flags);
int PutMarkAt(int folder, const char* name, int flags);

// Appends to a file that must be there; creates one that need not.
Verdict Append(const char* path);
Verdict Create(const char* path);

// mkdir(), but a folder that is there already is none of an error.
int MakeFolder(const char* path);

// A folder that would serve as `.git`, with a hook in it; -1 with errno.
int MakeRepository(const char* path);

// Whether the name exists, without following it.
int Exists(const char* path);

// Whether the file holds the text; -1 with errno when it cannot be read.
int Holds(const char* path, const char* text);

// Copies this program to a descriptor; -1 with errno.
int CopySelf(int to);

// The status of a child, waited for through signals; -1 with errno.
int WaitFor(pid_t child);

void SleepMs(long milliseconds);
