# Compiles several sources as one, which halves the build time: most of it goes into the headers and
# templates that they share. The presets dev and clang, and clang-tidy, compile each source on its
# own, so that a missing include is found.
option(RINGFENCE_TOGETHER "Compile several sources of a group at once" ON)

# Compiles the sources of a group as one. Their file-local names must differ from each other and
# from the names in the headers that any of them includes: tests/file_local_names.py checks this.
function(compile_together target group)
  target_sources(${target} PRIVATE ${ARGN})  # skips sources that the target already has
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
  use_groups(${target})
endfunction()

# For another target of the same directory with the same sources.
function(use_groups target)
  if(RINGFENCE_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()

# Code that is not called often: the compile time counts for more than the run time. -Og takes three
# quarters of the time of -O1 and half of that of -O2; clang knows it as -O1.
function(compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

# Adds sources that keep the optimization of the build type to a library that is compiled quickly.
function(add_fast_part library group)
  add_library(${library}_${group} OBJECT)
  target_link_libraries(${library}_${group} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_LINK_LIBRARIES>)
  compile_together(${library}_${group} ${group} ${ARGN})
  use_common_headers(${library}_${group})
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:${library}_${group}>)
endfunction()

# Clang takes precompiled headers only with the same optimization, so there each library has its own.
function(use_common_headers target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT target STREQUAL "base_text")
    target_precompile_headers(${target} REUSE_FROM base_text)
  else()
    target_precompile_headers(${target} PRIVATE ${common_headers})
  endif()
endfunction()

function(write_test_batch target number)
  set(headers)
  set(bodies)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} includes REGEX "^#include ")
    list(APPEND headers ${includes})
    string(MAKE_C_IDENTIFIER ${source} name)
    string(APPEND bodies "namespace ${name} {\n#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n}\n")
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/together/tests_${number}.cc)
  file(CONFIGURE OUTPUT ${file} CONTENT "${headers}\n\n${bodies}" @ONLY)
  target_sources(${target} PRIVATE ${file})
endfunction()

# Tests define nothing for other files, so each gets its own namespace, and names may repeat.
# Headers are included first, outside these namespaces.
function(compile_tests_together target count)
  if(NOT RINGFENCE_TOGETHER)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(number 0)
  set(batch)
  foreach(source IN LISTS ARGN)
    list(APPEND batch ${source})
    list(LENGTH batch size)
    if(size EQUAL count)
      write_test_batch(${target} ${number} ${batch})
      math(EXPR number "${number} + 1")
      set(batch)
    endif()
  endforeach()
  if(batch)
    write_test_batch(${target} ${number} ${batch})
  endif()
endfunction()
