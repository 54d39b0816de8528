// The launcher's memory allocator. A failed allocation, or an exception that libstdc++'s headers
// would throw, ends the process; in the launcher and in the first process of the sandbox that ends
// everything that is confined.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "base/syscall.h"

// A delete without a size (of a std::unique_ptr<char[]>, for example) does not link: the memory
// that it frees would never be used again.
#pragma GCC diagnostic ignored "-Wsized-deallocation"
#include "base/musl_functions.inc"

namespace ringfence {
namespace {

[[noreturn]] void EndSaying(std::string_view line) {
  [[maybe_unused]] const Status written = WriteAll(STDERR_FILENO, line);
  ::_exit(125);
}

// Memory is cut from blocks. A freed piece goes onto the list for its size, so that the supervisor,
// which lives as long as the command, takes no more than it ever held at once. Nothing returns to
// the kernel: every mapping and unmapping costs more than all that a start does with the memory.
constexpr size_t kFirstBlock = size_t{512} * 1024;  // part of the program; enough for most starts
constexpr size_t kUsual = size_t{208} * 1024;       // every start uses this much
constexpr size_t kNextBlock = size_t{256} * 1024;
constexpr size_t kStep = 16;
constexpr size_t kSmall = 1024;     // one list per step up to this size
constexpr size_t kPerDoubling = 8;  // lists per power of two above kSmall
constexpr size_t kLists = kSmall / kStep + 21 * kPerDoubling;  // up to 2 GiB

struct FreePiece {
  FreePiece* next;
};

alignas(kPage) char first_block[kFirstBlock];
char* block_at = first_block;
char* block_end = first_block + kFirstBlock;
FreePiece* lists[kLists];

// Returns the list for pieces of `size` bytes, and rounds `size` up to the size of these pieces.
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

// One call instead of a fault for every page; before Linux 5.14 it fails, and each page faults.
void FillUsual() { ::madvise(first_block, kUsual, kPopulateWrite); }

void* NewPiece(size_t size) {
  if (block_at == first_block) FillUsual();
  if (static_cast<size_t>(block_end - block_at) < size) {
    const size_t whole = std::max(size, kNextBlock);
    void* block =
        ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) EndOutOfMemory();
    block_at = static_cast<char*>(block);
    block_end = block_at + whole;
  }
  return std::exchange(block_at, block_at + size);
}

// Header of each piece that malloc returns.
struct alignas(kStep) Sized {
  size_t size;
};

}  // namespace

void EndOutOfMemory() { EndSaying("ringfence: out of memory\n"); }
void EndInternalError() { EndSaying("ringfence: internal error\n"); }

void* Allocate(size_t size) {
  if (size > PTRDIFF_MAX / 2) EndOutOfMemory();
  const size_t list = ListFor(size);
  if (list >= kLists) EndOutOfMemory();
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

}  // namespace ringfence

void operator delete(void*, const std::nothrow_t&) noexcept {}

namespace std {
const nothrow_t nothrow{};
}  // namespace std

extern "C" {
// For the few musl functions that allocate (opendir, getcwd).
void* malloc(size_t size) {
  if (size > PTRDIFF_MAX / 2) ringfence::EndOutOfMemory();
  const size_t whole = size + sizeof(ringfence::Sized);
  return new (ringfence::Allocate(whole)) ringfence::Sized{whole} + 1;
}
void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) ringfence::EndOutOfMemory();
  return std::memset(malloc(bytes), 0, bytes);
}
void free(void* memory) {
  if (memory == nullptr) return;
  ringfence::Sized* whole = static_cast<ringfence::Sized*>(memory) - 1;
  ringfence::Release(whole, whole->size);
}
}
