set(machine_options "")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  # As on x86-64 and macOS: what a comparison of bytes says must not depend on the machine.
  set(machine_options -fsigned-char)
endif()

# Compile and link options of every target of the project.
add_library(project_options INTERFACE)
target_compile_features(project_options INTERFACE cxx_std_20)
target_include_directories(project_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(project_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wswitch-enum -Wno-missing-field-initializers
  -ffunction-sections -fdata-sections -fstack-protector-strong ${machine_options})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(project_options INTERFACE -Wno-restrict)  # std::string: a GCC 12 bug
  # The compiler collects its garbage less often, which saves a twentieth of the compile time.
  add_compile_options("SHELL:--param ggc-min-heapsize=262144" "SHELL:--param ggc-min-expand=100")
endif()
if(NOT APPLE)
  target_link_options(project_options INTERFACE -Wl,--gc-sections -Wl,-z,relro,-z,now)
endif()
target_compile_definitions(project_options INTERFACE RINGFENCE_VERSION="${PROJECT_VERSION}")
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
if(RINGFENCE_WERROR)
  target_compile_options(project_options INTERFACE -Werror)
endif()
# The default linker takes half a minute for an instrumented program.
find_program(LLD ld.lld)
if(LLD AND RINGFENCE_SANITIZE)
  target_link_options(project_options INTERFACE -fuse-ld=lld)
endif()
if(RINGFENCE_SANITIZE)
  set(sanitizers address,undefined)
  if(RINGFENCE_SANITIZE STREQUAL "thread")
    set(sanitizers thread)
  endif()
  target_compile_options(project_options INTERFACE -fsanitize=${sanitizers}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(project_options INTERFACE -fsanitize=${sanitizers})
  target_compile_definitions(project_options INTERFACE RINGFENCE_SANITIZED _GLIBCXX_ASSERTIONS)
endif()
# Relative to the build directory, so that a compile cache serves every clone.
file(RELATIVE_PATH lists ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/cmake)
if(RINGFENCE_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(project_options INTERFACE -fsanitize-ignorelist=${lists}/not_sanitized.txt)
endif()
# Headers that nearly every source includes: parsing them takes a quarter of the compile time. The
# musl objects and clang-tidy do not use them, so that a missing include is an error there.
set(common_headers <algorithm> <cstdint> <map> <memory> <optional> <span> <string> <string_view> <utility> <variant> <vector>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # else a compile cache never hits
endif()
if(RINGFENCE_COVERAGE)
  # Applies to all code: the linker may keep the copy of an inline function from any source.
  target_compile_options(project_options INTERFACE -fprofile-instr-generate -fcoverage-mapping
    # The same in every directory, so that a compile cache serves them all.
    -fcoverage-compilation-dir=. "-fcoverage-prefix-map=${PROJECT_SOURCE_DIR}=."
    # Passed through -Xclang, since a compile cache does not know these options. Atomic, since
    # replay has threads.
    "SHELL:-Xclang -fprofile-list=${lists}/not_counted.txt" "SHELL:-Xclang -fprofile-update=atomic")
  target_link_options(project_options INTERFACE -fprofile-instr-generate -Wl,--wrap=_exit
    -Wl,--undefined=__wrap__exit)  # lld does not search the library for it otherwise
  add_library(count_at_exit STATIC tests/coverage/count_at_exit.cc)
  # The file name is compiled in, since tests start the hook with their own environment. %m stands
  # for the program: the counts of its runs are added up.
  target_compile_definitions(count_at_exit PRIVATE PROFILE_FILE="${PROJECT_BINARY_DIR}/profiles/%2m.profraw")
  target_link_libraries(project_options INTERFACE count_at_exit)
  target_compile_definitions(project_options INTERFACE RINGFENCE_SANITIZED)
endif()
