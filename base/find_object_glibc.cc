// Finds the unwind tables of a program that has libgcc linked in. libgcc calls _dl_find_object for
// every exception. glibc has that function since 2.35, but distributions with 2.34 are in use; with
// this file, programs start there, too.
#include <dlfcn.h>
#include <link.h>

#if defined(DLFO_EH_SEGMENT_TYPE)

namespace {

struct WantedObject {
  ElfW(Addr) address;
  dl_find_object found;
};

// For dl_iterate_phdr(3): returns 1 once the object with the address is found.
int FindIn(dl_phdr_info* object, size_t /*size*/, void* data) {
  auto& wanted = *static_cast<WantedObject*>(data);
  bool is_it = false;
  void* tables = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const ElfW(Addr) start = object->dlpi_addr + segment.p_vaddr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address of a loaded segment
    auto* const pointer = reinterpret_cast<void*>(start);
    if (segment.p_type == DLFO_EH_SEGMENT_TYPE) tables = pointer;
    if (segment.p_type != PT_LOAD || wanted.address - start >= segment.p_memsz) continue;
    is_it = true;
    wanted.found.dlfo_map_start = pointer;
    wanted.found.dlfo_map_end = static_cast<char*>(pointer) + segment.p_memsz;
  }
  wanted.found.dlfo_eh_frame = tables;
  return is_it && tables != nullptr ? 1 : 0;
}

}  // namespace

// NOLINTNEXTLINE(*-reserved-identifier): glibc's name
extern "C" int _dl_find_object(void* address, dl_find_object* result) noexcept {
  WantedObject wanted{reinterpret_cast<ElfW(Addr)>(address), {}};
  if (::dl_iterate_phdr(FindIn, &wanted) == 0) return -1;
  *result = wanted.found;
  return 0;
}

#endif
