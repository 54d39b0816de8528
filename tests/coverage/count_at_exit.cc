// Linked into every program of a coverage build (-Wl,--wrap=_exit): one that ends in _exit, as the
// hook does, is counted like one that returns from main(). The counters are added to the file under
// a lock, so that programs that run at once lose none.
extern "C" {

// Where the counters go, in place of default.profraw.
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
