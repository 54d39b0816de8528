// With musl there is no C++ run-time library: the few functions that compiled code asks for stand
// here. What libstdc++'s headers would throw, and a failed allocation, ends the process: in the
// launcher and in the first process of the sandbox that ends everything that is confined.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "base/syscall.h"

namespace {

using std::size_t;

constexpr std::string_view kNoMemory = "ringfence: out of memory\n";
constexpr std::string_view kInternal = "ringfence: internal error\n";

[[noreturn]] void End(std::string_view line) {
  [[maybe_unused]] const ringfence::Status written = ringfence::WriteAll(STDERR_FILENO, line);
  ::_exit(125);
}

// Memory comes from blocks and goes onto a list of its size when it is freed, so that the
// supervisor, which lives as long as the command, takes no more than it ever held at once. Nothing
// goes back to the kernel: every mapping and unmapping costs more than all that a start does with
// it.
constexpr size_t kFirst = size_t{512} * 1024;  // lies in the program, and is enough for most starts
constexpr size_t kUsual = size_t{208} * 1024;  // every start takes as much
constexpr size_t kBlock = size_t{256} * 1024;
constexpr size_t kStep = 16;
constexpr size_t kSmall = 1024;     // up to here a list for every step
constexpr size_t kPerDoubling = 8;  // lists from a power of two to the next, above kSmall
constexpr size_t kLists = kSmall / kStep + 21 * kPerDoubling;  // up to 2 GiB

struct FreePiece {
  FreePiece* next;
};

constexpr size_t kPage = 4096;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE of madvise(2), which musl does not name

alignas(kPage) char first_block[kFirst];
char* block_at = first_block;
char* block_end = first_block + kFirst;
FreePiece* lists[kLists];

// The list for pieces of `size` bytes, which is rounded up to what all of them have.
size_t ListFor(size_t& size) {
  const size_t steps = size == 0 ? 1 : (size - 1) / kStep + 1;
  size = steps * kStep;
  if (size <= kSmall) return steps - 1;
  const size_t power = std::bit_floor(size - 1);
  const size_t step = power / kPerDoubling;
  const size_t parts = (size - power - 1) / step + 1;
  size = power + parts * step;
  const auto doublings = static_cast<size_t>(std::countr_zero(power / kSmall));
  return kSmall / kStep + doublings * kPerDoubling + parts - 1;
}

// One call instead of a fault for every page; a kernel before 5.14 leaves it to the faults.
void FillUsual() { ::madvise(first_block, kUsual, kPopulateWrite); }

void* NewPiece(size_t size) {
  if (block_at == first_block) FillUsual();
  if (static_cast<size_t>(block_end - block_at) < size) {
    const size_t whole = std::max(size, kBlock);
    void* block =
        ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) End(kNoMemory);
    block_at = static_cast<char*>(block);
    block_end = block_at + whole;
  }
  return std::exchange(block_at, block_at + size);
}

void* Allocate(size_t size) {
  if (size > PTRDIFF_MAX / 2) End(kNoMemory);
  const size_t list = ListFor(size);
  if (list >= kLists) End(kNoMemory);
  FreePiece* piece = lists[list];
  if (piece == nullptr) return NewPiece(size);
  lists[list] = piece->next;
  return piece;
}

void Release(void* memory, size_t size) {
  if (memory == nullptr) return;
  const size_t list = ListFor(size);
  lists[list] = new (memory) FreePiece{lists[list]};
}

// What malloc hands out begins with its size.
struct alignas(kStep) Sized {
  size_t size;
};

}  // namespace

// A delete without the size (of a std::unique_ptr<char[]>, say) does not link: what it frees would
// never be used again.
#pragma GCC diagnostic ignored "-Wsized-deallocation"
void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* memory, size_t size) noexcept { Release(memory, size); }
void operator delete(void*, const std::nothrow_t&) noexcept {}
void operator delete[](void* memory, size_t size) noexcept { Release(memory, size); }

namespace std {
const nothrow_t nothrow{};
void __throw_bad_alloc() { End(kNoMemory); }
void __throw_bad_array_new_length() { End(kNoMemory); }
void __throw_bad_function_call() { End(kInternal); }
void __throw_length_error(const char*) { End(kInternal); }
void __throw_logic_error(const char*) { End(kInternal); }
void __throw_out_of_range_fmt(const char*, ...) { End(kInternal); }
void terminate() noexcept { End(kInternal); }
}  // namespace std

extern "C" {
// musl's own, for the few of its functions that allocate (opendir, getcwd).
void* malloc(size_t size) {
  if (size > PTRDIFF_MAX / 2) End(kNoMemory);
  const size_t whole = size + sizeof(Sized);
  return new (Allocate(whole)) Sized{whole} + 1;
}
void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) End(kNoMemory);
  return std::memset(malloc(bytes), 0, bytes);
}
void free(void* memory) {
  if (memory == nullptr) return;
  Sized* whole = static_cast<Sized*>(memory) - 1;
  Release(whole, whole->size);
}

// What compiled code asks of the library that it is linked without.
// NOLINTBEGIN(clang-diagnostic-reserved-identifier)
void __cxa_pure_virtual() { End(kInternal); }
int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}  // no object outlives main that matters
void* __dso_handle = nullptr;
// NOLINTEND(clang-diagnostic-reserved-identifier)
}
