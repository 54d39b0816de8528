// The memory of the hook. A failed allocation, and what libstdc++'s headers would throw, refuses
// the call. Compiled into the hook only, never into a library.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "base/musl_functions.inc"
#include "hook/fail_closed.h"

namespace ringfence {
namespace {

// The run is short, so memory comes from blocks and goes back with the process. Only what was
// handed out last is taken back at once: strings that grow and go away, which is most of what is
// freed.
constexpr size_t kBlock = size_t{256} * 1024;
constexpr size_t kFirst = size_t{160} * 1024;  // lies in the program, and is enough for most events
constexpr size_t kUsed = size_t{64} * 1024;    // of the first; what an ordinary event takes
constexpr size_t kLarge = size_t{64} * 1024;   // lies among the large ones
constexpr size_t kHugePage = size_t{2} * 1024 * 1024;
constexpr size_t kAlign = 16;

struct Block {
  char* at = nullptr;
  char* end = nullptr;

  bool HasRoom(size_t size) const { return static_cast<size_t>(end - at) >= size; }
  char* Take(size_t size) { return std::exchange(at, at + size); }
};
alignas(kPage) char first_block[kFirst];
Block small{first_block, first_block + kFirst};
Block large;
size_t in_blocks = 0;

// Nothing when the kernel has no room for it.
Block NewBlock(size_t size) {
  if (in_blocks + size > kMaxMemory) return {};
  void* block = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return {};
  in_blocks += size;
  return {static_cast<char*>(block), static_cast<char*>(block) + size};
}

size_t RoundUp(size_t size, size_t step) { return (size + step - 1) / step * step; }

// Large pieces are a policy of thousands of rules. They lie together in huge pages where the kernel
// gives them, because one fault for each 4 KiB takes as long as reading what is in it (madvise(2),
// MADV_HUGEPAGE).
Block NewLargeBlock(size_t size) {
  Block block = NewBlock(RoundUp(size, kHugePage) + kHugePage);
  if (block.at == nullptr) return NewBlock(size);
  void* at = block.at;
  auto room = static_cast<size_t>(block.end - block.at);
  block.at = static_cast<char*>(std::align(kHugePage, size, at, room));  // there is a page too many
  ::madvise(block.at, static_cast<size_t>(block.end - block.at), MADV_HUGEPAGE);
  return block;
}

}  // namespace

void EndOutOfMemory() { Refuse("ringfence: out of memory; the call is refused\n"); }
void EndInternalError() { Refuse("ringfence: internal error; the call is refused\n"); }

void* Allocate(size_t size) {
  if (size > kMaxMemory) EndOutOfMemory();
  size = RoundUp(size, kAlign);
  Block& block = size < kLarge ? small : large;
  if (!block.HasRoom(size)) block = size < kLarge ? NewBlock(kBlock) : NewLargeBlock(size);
  if (!block.HasRoom(size)) EndOutOfMemory();
  return block.Take(size);
}

void Release(void* memory, size_t size) {
  size = RoundUp(size, kAlign);
  Block& block = size < kLarge ? small : large;
  if (static_cast<char*>(memory) + size == block.at) block.at = static_cast<char*>(memory);
}

// Allocate keeps the bound. Here the pages that an ordinary event needs are taken in one call,
// because one fault for each took 3 % of a permitted call. A kernel before Linux 5.14 refuses, and
// they come one by one.
Status BoundRuntime() {
  ::madvise(first_block, kUsed, kPopulateWrite);
  return Unit{};
}

}  // namespace ringfence

void operator delete(void*) noexcept {}
void operator delete[](void*) noexcept {}

extern "C" {
// musl's own, for the few of its functions that allocate (opendir).
void* malloc(size_t size) { return ringfence::Allocate(size); }
void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) ringfence::EndOutOfMemory();
  void* memory = malloc(bytes);  // a block is new and zero, but may have been handed out before
  for (size_t i = 0; i < bytes; ++i) static_cast<char*>(memory)[i] = 0;
  return memory;
}
void free(void*) {}
}
