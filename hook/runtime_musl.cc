// The hook's memory allocator. Refuses the call if an allocation fails or libstdc++'s headers would
// throw. Compiled into the hook only, never into a library.
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

// The run is short, so memory comes from blocks and is returned when the process ends. Only the
// most recent allocation can be released: this covers strings that grow or go out of scope, which
// are most of what is freed.
constexpr size_t kBlock = size_t{256} * 1024;
constexpr size_t kFirst = size_t{160} * 1024;  // static; enough for most events
constexpr size_t kUsed = size_t{64} * 1024;    // part of kFirst that an ordinary event uses
constexpr size_t kLarge = size_t{64} * 1024;   // from this size on, uses the large block
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

// Returns an empty block if kMaxMemory or the kernel does not allow it.
Block NewBlock(size_t size) {
  if (in_blocks + size > kMaxMemory) return {};
  void* block = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return {};
  in_blocks += size;
  return {static_cast<char*>(block), static_cast<char*>(block) + size};
}

size_t RoundUp(size_t size, size_t step) { return (size + step - 1) / step * step; }

// Large allocations come from a policy of thousands of rules. They share huge pages if the kernel
// provides them, because one fault for each 4 KiB takes as long as reading the contents
// (madvise(2), MADV_HUGEPAGE).
Block NewLargeBlock(size_t size) {
  Block block = NewBlock(RoundUp(size, kHugePage) + kHugePage);
  if (block.at == nullptr) return NewBlock(size);
  void* at = block.at;
  auto room = static_cast<size_t>(block.end - block.at);
  block.at = static_cast<char*>(std::align(kHugePage, size, at, room));  // has a spare page
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

// Allocate() enforces the limit. This maps the pages that an ordinary event needs in one call,
// because one fault for each took 3 % of a permitted call. Kernels before Linux 5.14 reject the
// call, and the pages are then mapped one by one.
Status BoundRuntime() {
  ::madvise(first_block, kUsed, kPopulateWrite);
  return Unit{};
}

}  // namespace ringfence

void operator delete(void*) noexcept {}
void operator delete[](void*) noexcept {}

extern "C" {
// Replace musl's allocator, for the few musl functions that allocate (opendir).
void* malloc(size_t size) { return ringfence::Allocate(size); }
void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) ringfence::EndOutOfMemory();
  void* memory = malloc(bytes);  // a new block is zero, but this memory may have been used before
  for (size_t i = 0; i < bytes; ++i) static_cast<char*>(memory)[i] = 0;
  return memory;
}
void free(void*) {}
}
