// With musl there is no C++ run-time library: the few functions that compiled code asks for stand
// here. Nothing can be thrown; what libstdc++'s headers would throw, and a failed allocation,
// refuses the call. Compiled into the hook only, never into a library.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "hook/fail_closed.h"

namespace {

using std::size_t;

constexpr std::string_view kNoMemory = "ringfence: out of memory; the call is refused\n";
constexpr std::string_view kInternal = "ringfence: internal error; the call is refused\n";

// The run is short, so memory comes from blocks and goes back with the process. Only what was
// handed out last is taken back at once: strings that grow and go away, which is most of what is
// freed.
constexpr size_t kBlock = size_t{256} * 1024;
constexpr size_t kLarge = size_t{64} * 1024;  // gets a block of its own
constexpr size_t kAlign = 16;

char* block_at = nullptr;
char* block_end = nullptr;
size_t in_blocks = 0;

char* NewBlock(size_t size, int flags) {
  flags |= MAP_PRIVATE | MAP_ANONYMOUS;
  in_blocks += size;
  if (in_blocks > ringfence::kMaxMemory) ringfence::Refuse(kNoMemory);
  void* block = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (block == MAP_FAILED) ringfence::Refuse(kNoMemory);
  return static_cast<char*>(block);
}

void* Allocate(size_t size) {
  if (size > PTRDIFF_MAX) ringfence::Refuse(kNoMemory);
  size = (size + kAlign - 1) & ~(kAlign - 1);
  if (static_cast<size_t>(block_end - block_at) < size) {
    // What is asked for at once will be filled, and a page fault costs as much as the page.
    if (size >= kLarge) return NewBlock(size, MAP_POPULATE);
    block_at = NewBlock(kBlock, 0);
    block_end = block_at + kBlock;
  }
  void* memory = block_at;
  block_at += size;
  return memory;
}

void Free(void* memory, size_t size) {
  size = (size + kAlign - 1) & ~(kAlign - 1);
  if (static_cast<char*>(memory) + size == block_at) block_at = static_cast<char*>(memory);
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void*) noexcept {}
void operator delete(void* memory, size_t size) noexcept { Free(memory, size); }
void operator delete[](void*) noexcept {}
void operator delete[](void* memory, size_t size) noexcept { Free(memory, size); }

namespace std {
void __throw_bad_alloc() { ringfence::Refuse(kNoMemory); }
void __throw_bad_array_new_length() { ringfence::Refuse(kNoMemory); }
void __throw_length_error(const char*) { ringfence::Refuse(kInternal); }
void __throw_logic_error(const char*) { ringfence::Refuse(kInternal); }
void __throw_out_of_range_fmt(const char*, ...) { ringfence::Refuse(kInternal); }
void terminate() noexcept { ringfence::Refuse(kInternal); }
}  // namespace std

extern "C" {
// musl's own, for the few of its functions that allocate (opendir).
void* malloc(size_t size) { return Allocate(size); }
void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) ringfence::Refuse(kNoMemory);
  void* memory = Allocate(bytes);  // a block is new and zero, but may have been handed out before
  for (size_t i = 0; i < bytes; ++i) static_cast<char*>(memory)[i] = 0;
  return memory;
}
void free(void*) {}

void __cxa_pure_virtual() { ringfence::Refuse(kInternal); }
int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }  // the hook ends in _exit
void* __dso_handle = nullptr;
}

namespace ringfence {
Status BoundRuntime() { return Unit{}; }  // Allocate does it
}  // namespace ringfence
