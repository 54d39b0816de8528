# ringfence-hook is always static: a preloaded library must not be able to silence it. With musl it starts
# in a sixth of the time that glibc takes where CPUID traps (virtual machines), so musl is used where
# musl-gcc is found. There is no C++ library for musl, and none is needed: the sources throw nothing,
# use templates only, and hook/runtime_musl.cc has the few functions that compiled code asks for.
find_program(MUSL_GCC musl-gcc)
set(musl_root /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
string(REPLACE "-gnu" "-musl" musl_root "${musl_root}")
string(REPLACE "/usr/lib/" "/usr/include/" musl_include "${musl_root}")

if(RINGFENCE_MUSL AND MUSL_GCC AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND EXISTS ${musl_root}/rcrt1.o
   AND EXISTS ${musl_include} AND MD_LIBRARY MATCHES "\\.a$")
  set(hook_libc musl)
else()
  set(hook_libc glibc)
endif()
message(STATUS "ringfence-hook links ${hook_libc}")

if(hook_libc STREQUAL "glibc")
  add_executable(ringfence-hook hook/main.cc hook/runtime_glibc.cc)
  target_link_libraries(ringfence-hook PRIVATE hook)
  if(NOT RINGFENCE_SANITIZE AND NOT RINGFENCE_COVERAGE AND NOT APPLE)
    target_link_options(ringfence-hook PRIVATE -static-pie -Wl,--gc-sections
      $<$<CONFIG:Release>:-Wl,--strip-all>)
  endif()
else()
  # libstdc++'s headers over musl's: only what they include is searched, glibc's headers are not.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=include
                  OUTPUT_VARIABLE compiler_include OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX MATCH "^[0-9]+" gcc_major "${CMAKE_CXX_COMPILER_VERSION}")
  set(cxx_include /usr/include/c++/${gcc_major})
  set(cxx_target_include /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/c++/${gcc_major})
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-libgcc-file-name
                  OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_path(MD_INCLUDE sha2.h REQUIRED)
  # sha2.h alone is taken from the system's folder.
  configure_file(${MD_INCLUDE}/sha2.h ${PROJECT_BINARY_DIR}/musl/sha2.h COPYONLY)

  add_executable(ringfence-hook hook/main.cc hook/runtime_musl.cc ${base_sources} ${policy_sources}
                 ${hook_sources})
  target_compile_features(ringfence-hook PRIVATE cxx_std_20)
  target_include_directories(ringfence-hook PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(ringfence-hook PRIVATE RINGFENCE_VERSION="${PROJECT_VERSION}"
    _GLIBCXX_EXTERN_TEMPLATE=0)
  target_compile_options(ringfence-hook PRIVATE
    -Wall -Wextra -Wno-missing-field-initializers -fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables
    -fno-threadsafe-statics -ffunction-sections -fdata-sections -fstack-protector-strong -fPIE
    -nostdinc "SHELL:-isystem ${cxx_include}" "SHELL:-isystem ${cxx_target_include}"
    "SHELL:-isystem ${cxx_include}/backward" "SHELL:-isystem ${musl_include}" "SHELL:-isystem ${compiler_include}"
    "SHELL:-isystem ${PROJECT_BINARY_DIR}/musl" "SHELL:-include ${PROJECT_SOURCE_DIR}/hook/libstdcxx_on_musl.h")
  # Small, so that starting it touches few pages; but the scanner sees every byte of a big file.
  target_compile_options(ringfence-hook PRIVATE $<$<CONFIG:Release>:-Os>)
  set_source_files_properties(base/json_scanner.cc base/json_scanner_strings.cc base/json_tree.cc base/utf8.cc policy/rule_lists.cc policy/path_entry.cc
    policy/rules.cc policy/rules_links.cc policy/entry_match.cc policy/pattern.cc policy/cached_files.cc policy/path.cc PROPERTIES COMPILE_OPTIONS
    "$<$<CONFIG:Release>:-O2>")
  target_link_options(ringfence-hook PRIVATE -nostdlib -nostartfiles -static-pie -Wl,--gc-sections
    -Wl,-z,relro,-z,now -Wl,-z,noexecstack $<$<CONFIG:Release>:-Wl,--strip-all>)
  target_link_libraries(ringfence-hook PRIVATE ${musl_root}/rcrt1.o ${musl_root}/crti.o ${MD_LIBRARY}
    ${musl_root}/libc.a ${libgcc} ${musl_root}/crtn.o)
endif()
