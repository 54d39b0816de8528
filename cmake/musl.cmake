# ringfence-hook and ringfence are always static: a preloaded library must not be able to silence
# them. Where CPUID traps (virtual machines), they start with musl in a sixth of the time that glibc
# takes, so musl is used if musl-gcc is found. There is no C++ library for musl, and none is needed:
# the sources throw nothing, use only templates of the standard library, and runtime_musl.cc of each
# program defines the few functions that compiled code calls.
find_program(MUSL_GCC musl-gcc)
set(musl_root /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
string(REPLACE "-gnu" "-musl" musl_root "${musl_root}")
string(REPLACE "/usr/lib/" "/usr/include/" musl_include "${musl_root}")

if(RINGFENCE_MUSL AND MUSL_GCC AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND EXISTS ${musl_root}/rcrt1.o
   AND EXISTS ${musl_include} AND MD_LIBRARY MATCHES "\\.a$")
  set(small_libc musl)
else()
  set(small_libc glibc)
endif()
message(STATUS "ringfence-hook and ringfence link ${small_libc}")

# Links `program` statically with glibc, except in sanitizer and coverage builds and on macOS.
function(link_statically program)
  if(NOT RINGFENCE_SANITIZE AND NOT RINGFENCE_COVERAGE AND NOT APPLE)
    target_link_options(${program} PRIVATE -static-pie -Wl,--gc-sections $<$<CONFIG:Release>:-Wl,--strip-all>)
  endif()
endfunction()

# Links `program` with glibc's shared library and with static forms of all others. `program` needs
# functions of glibc that load further libraries, such as those that resolve names.
function(link_all_but_glibc_statically program)
  if(NOT RINGFENCE_SANITIZE AND NOT RINGFENCE_COVERAGE AND NOT APPLE)
    target_link_options(${program} PRIVATE -static-libstdc++ -static-libgcc $<$<CONFIG:Release>:-Wl,--strip-all>)
    target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/base/find_object_glibc.cc)
  endif()
endfunction()

if(small_libc STREQUAL "glibc")
  return()
endif()

# libstdc++'s headers on top of musl's: the search path has only the files that they include,
# without glibc's headers.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=include
                OUTPUT_VARIABLE compiler_include OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "^[0-9]+" gcc_major "${CMAKE_CXX_COMPILER_VERSION}")
set(cxx_include /usr/include/c++/${gcc_major})
set(cxx_target_include /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/c++/${gcc_major})
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-libgcc-file-name
                OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)
find_path(MD_INCLUDE sha2.h REQUIRED)
# Only these come from the system's directories: sha2.h and the kernel's headers.
set(musl_headers ${PROJECT_BINARY_DIR}/musl)
configure_file(${MD_INCLUDE}/sha2.h ${musl_headers}/sha2.h COPYONLY)
file(CREATE_LINK /usr/include/linux ${musl_headers}/linux SYMBOLIC)
file(CREATE_LINK /usr/include/asm-generic ${musl_headers}/asm-generic SYMBOLIC)
file(CREATE_LINK /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/asm ${musl_headers}/asm SYMBOLIC)

# `level`: -Os, so that startup touches few pages, or -O2.
function(compile_for_musl target level)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE RINGFENCE_VERSION="${PROJECT_VERSION}"
    _GLIBCXX_EXTERN_TEMPLATE=0)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wno-missing-field-initializers -Wno-restrict -fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables
    -fno-threadsafe-statics -ffunction-sections -fdata-sections -fstack-protector-strong -fPIE
    -nostdinc "SHELL:-isystem ${cxx_include}" "SHELL:-isystem ${cxx_target_include}"
    "SHELL:-isystem ${cxx_include}/backward" "SHELL:-isystem ${musl_include}" "SHELL:-isystem ${compiler_include}"
    "SHELL:-isystem ${musl_headers}" "SHELL:-include ${PROJECT_SOURCE_DIR}/base/libstdcxx_on_musl.h")
  # Link-time optimization merges the instantiations of several files.
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${level};-flto>")
endfunction()

function(link_with_musl program)
  target_link_options(${program} PRIVATE -nostdlib -nostartfiles -static-pie -Wl,--gc-sections
    -Wl,-z,relro,-z,now -Wl,-z,noexecstack "$<$<CONFIG:Release>:-Wl,--strip-all;-Os;-flto;-flto-partition=one>")
  target_link_libraries(${program} PRIVATE ${musl_root}/rcrt1.o ${musl_root}/crti.o ${MD_LIBRARY}
    ${musl_root}/libc.a ${libgcc} ${musl_root}/crtn.o)
endfunction()

# Objects of both programs: optimized for size, except for code that processes every byte of a large
# file or runs for every rule.
add_library(musl_fast_objects OBJECT ${base_text_sources} ${policy_rule_sources})
compile_for_musl(musl_fast_objects -O2)
add_library(musl_small_objects OBJECT base/memcmp_musl.cc ${base_other_sources} ${policy_client_sources}
  ${policy_decision_sources} ${policy_file_sources} ${hook_sources} ${launcher_sources})
compile_for_musl(musl_small_objects -Os)
foreach(objects musl_fast_objects musl_small_objects)
  use_groups(${objects})
endforeach()
set(musl_objects $<TARGET_OBJECTS:musl_fast_objects> $<TARGET_OBJECTS:musl_small_objects>)
# Otherwise link-time optimization mistakes it for the C library's memcmp.
set_source_files_properties(base/memcmp_musl.cc PROPERTIES COMPILE_OPTIONS "-O2;-fno-lto")
