# ringfence-hook and ringfence are always static: a preloaded library must not be able to silence
# them. Where CPUID traps (virtual machines), they start with musl in a sixth of the time that glibc
# takes, so musl is used if musl-dev is installed. It has no C++ library, and needs none: the
# sources throw nothing, use only templates of the standard library, and runtime_musl.cc of each
# program defines the few functions that compiled code calls.
string(REPLACE "-gnu" "-musl" musl_name "${CMAKE_LIBRARY_ARCHITECTURE}")
set(musl_root ${RINGFENCE_SYSROOT}/usr/lib/${musl_name})  # the sysroot: only with a cross compiler
set(musl_include ${RINGFENCE_SYSROOT}/usr/include/${musl_name})

if(RINGFENCE_MUSL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND EXISTS ${musl_root}/rcrt1.o
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
    if(RINGFENCE_SYSROOT)
      # The cross compiler's own libc.a gets no security updates.
      set(folder ${RINGFENCE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
      target_link_options(${program} PRIVATE -B${folder} -L${folder})
    endif()
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
set(cxx_include ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
list(FILTER cxx_include INCLUDE REGEX "/c\\+\\+/")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-libgcc-file-name
                OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)
find_path(MD_INCLUDE sha2.h REQUIRED)
# Only these come from the system's directories: sha2.h and the kernel's headers.
set(musl_headers ${PROJECT_BINARY_DIR}/musl)
configure_file(${MD_INCLUDE}/sha2.h ${musl_headers}/sha2.h COPYONLY)
foreach(folder linux asm-generic asm)
  find_path(kernel_headers ${folder}/types.h PATHS ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES}
    NO_CACHE REQUIRED NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  file(CREATE_LINK ${kernel_headers}/${folder} ${musl_headers}/${folder} SYMBOLIC)
  unset(kernel_headers)
endforeach()
set(musl_system ${cxx_include} ${musl_include} ${compiler_include} ${musl_headers})
list(TRANSFORM musl_system REPLACE "(.+)" "SHELL:-isystem '\\1'")
set(musl_options ${machine_options})
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  # libgcc would choose the atomic instructions at startup, by a function of glibc.
  list(APPEND musl_options -mno-outline-atomics)
endif()

# `level` is the optimization of release builds. Link-time optimization takes as long as compiling, and
# makes neither program faster.
function(compile_for_musl target level)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE RINGFENCE_VERSION="${PROJECT_VERSION}"
    _GLIBCXX_EXTERN_TEMPLATE=0)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wno-missing-field-initializers -Wno-restrict -fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables
    -fno-threadsafe-statics -ffunction-sections -fdata-sections -fstack-protector-strong -fPIE
    -nostdinc ${musl_system} "SHELL:-include '${PROJECT_SOURCE_DIR}/base/libstdcxx_on_musl.h'" ${musl_options})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()

function(link_with_musl program)
  target_link_options(${program} PRIVATE -nostdlib -nostartfiles -static-pie -Wl,--gc-sections
    -Wl,-z,relro,-z,now -Wl,-z,noexecstack $<$<CONFIG:Release>:-Wl,--strip-all>)
  target_link_libraries(${program} PRIVATE ${musl_root}/rcrt1.o ${musl_root}/crti.o ${MD_LIBRARY}
    ${musl_root}/libc.a ${libgcc} ${musl_root}/crtn.o)
endfunction()

# Objects of both programs: optimized for size, so that startup touches few pages, except for code
# that processes every byte of a large file or runs for every rule.
add_library(musl_fast_objects OBJECT ${base_text_sources} ${policy_rule_sources})
compile_for_musl(musl_fast_objects -O2)
add_library(musl_small_objects OBJECT base/memcmp_musl.cc ${base_other_sources} ${policy_client_sources}
  ${policy_decision_sources} ${policy_file_sources} ${hook_sources} ${launcher_sources})
compile_for_musl(musl_small_objects -Os)
foreach(objects musl_fast_objects musl_small_objects)
  use_groups(${objects})
endforeach()
set(musl_objects $<TARGET_OBJECTS:musl_fast_objects> $<TARGET_OBJECTS:musl_small_objects>)
set_source_files_properties(base/memcmp_musl.cc PROPERTIES COMPILE_OPTIONS -O2)
