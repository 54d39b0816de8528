// Shared by the files of the escape probe.
//
//   escape_probe list                  prints the names of the rows
//   escape_probe FIXTURE_FILE [ROW...] tries the rows, or all rows if none is named
//
// It runs inside a sandbox, in the project's directory, and tries to escape.
// tests/system/run/test_escape.py creates the targets, starts the probe, and checks the effects
// from outside. Static, so that it needs no file that the sandbox must show. Prints a line for each
// row:
//
//   ROW <tab> open|stopped|works|broken|skipped <tab> DETAIL
//
// DETAIL names the last call and its error. "open" says that the calls succeeded inside; only the
// test outside can check their effect. Rows named fn-* are not attempts to escape, but operations
// that ordinary work needs; they report works or broken. Rows with x- go beyond the comparison with
// other sandboxes: names below the project through which programs outside run code later.
//
// Each row runs in its own child with a time limit: a signal from a system call filter and a call
// that never returns are results too. No row harms a machine on which it succeeds: a change that
// only root can make is tried with the current value, or with a call that stops before it takes
// effect.
//
// FIXTURE_FILE has a line KEY=VALUE for each object outside: directories, names, ports, numbers.
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
extern const RowTable kNameRows;            // probe_names.c: names of code that runs later
extern const RowTable kSecretRows;          // probe_files.c
extern const RowTable kProcessRows;         // probe_processes.c
extern const RowTable kNetworkRows;         // probe_network.c: sockets, shared memory, keys
extern const RowTable kPrivilegeRows;       // probe_privileges.c: capabilities, mounts, namespaces
extern const RowTable kKernelRows;          // probe_kernel.c: risky calls, devices, limits
extern const RowTable kFunctionRows;        // probe_functions.c
extern const RowTable kMoreNameRows;        // probe_more_names.c: the same names, other calls
extern const RowTable kMoreWayRows;         // probe_more_ways.c: the same names, other paths
extern const RowTable kRaceRows;            // probe_races.c: arguments that keep changing
extern const RowTable kMoreFunctionRows;    // probe_more_functions.c: risks of a supervisor
extern const RowTable kMoreSemanticsRows;   // probe_more_semantics.c: flags, errors, rights
extern const RowTable kOwnTreeRows;         // probe_own_trees.c: names in a new work tree
extern const RowTable kStreamRows;          // probe_streams.c: the standard streams, set-user-ID
extern const RowTable kDeviceRows;          // probe_streams.c: devices of the host
extern const RowTable kDeviceFunctionRows;  // probe_streams.c: use of devices
extern const RowTable kSignalRows;          // probe_signals.c: late additions to Landlock
extern const RowTable kSharedRows;          // probe_shared.c: resources shared by processes

// --- verdicts -----------------------------------------------------------------------------------

// These record the detail and return the verdict, so that a check ends in `return Stopped("open")`.
// Stopped() and Broken() report the call and errno.
Verdict Open(const char* format, ...) __attribute__((format(printf, 1, 2)));
Verdict Stopped(const char* call);
Verdict StoppedAs(const char* format, ...) __attribute__((format(printf, 1, 2)));
Verdict Works(void);
Verdict Broken(const char* call);
Verdict BrokenAs(const char* format, ...) __attribute__((format(printf, 1, 2)));
Verdict Skipped(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Open if `result` is not -1.
Verdict Tried(const char* call, long result);

// --- the fixture --------------------------------------------------------------------------------

// A value of the fixture. Ends the row as skipped if the fixture does not have it.
const char* Fixture(const char* key);
long FixtureNumber(const char* key);

// DIR/NAME for the directory of the fixture key `folder`; valid until the fourth call after it.
const char* In(const char* folder, const char* name);

// --- small tools --------------------------------------------------------------------------------

// Content of every write, for the test outside.
extern const char kMark[];

// Opens, writes kMark, closes; -1 with errno if any step failed. `flags` are added to O_WRONLY.
int PutMark(const char* path, int flags);
int PutMarkAt(int folder, const char* name, int flags);

// Append() writes to a file that must exist; Create() creates the file if necessary.
Verdict Append(const char* path);
Verdict Create(const char* path);

// mkdir(), but an existing directory is not an error.
int MakeFolder(const char* path);

// Creates a directory that works as `.git`, with a hook in it; -1 with errno.
int MakeRepository(const char* path);

// True if the name exists; does not follow it.
int Exists(const char* path);

// True if the file contains the text; -1 with errno if it cannot be read.
int Holds(const char* path, const char* text);

// Copies this program to a descriptor; -1 with errno.
int CopySelf(int to);

// Waits for the child, even through signals, and returns its status; -1 with errno.
int WaitFor(pid_t child);

void SleepMs(long milliseconds);
