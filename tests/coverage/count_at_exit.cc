// Linked into every program of a coverage build (-Wl,--wrap=_exit), so that a program that calls
// _exit, like the hook, is counted like one that returns from main(). Adds the counters to the file
// under a lock, so that concurrent programs lose none.
extern "C" {

// File for the counters, instead of default.profraw.
extern char __llvm_profile_filename[];
char __llvm_profile_filename[] = PROFILE_FILE;

int __llvm_profile_write_file();
[[noreturn]] void __real__exit(int status);
[[noreturn]] void __wrap__exit(int status);

void __wrap__exit(int status) {
  __llvm_profile_write_file();
  __real__exit(status);
}
}
