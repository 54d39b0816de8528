# Which folder may include which: every `#include "folder/..."` of the programs, held against the
# arrows below. Fails naming file and line.
#
#   cmake -P tests/layering.cmake              this tree
#   cmake -DROOT=DIR -P tests/layering.cmake   another one
cmake_minimum_required(VERSION 3.25)

set(may_include_base base)
set(may_include_policy base policy)
set(may_include_hook base policy hook)
set(may_include_sandbox base policy sandbox)
set(may_include_library base library ringfence)
set(may_include_run base policy hook sandbox run)
set(may_include_cli base policy hook sandbox run cli)

if(NOT ROOT)
  get_filename_component(ROOT "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
endif()
set(wrong 0)
set(seen 0)

# The lines of `file` as a list: what CMake gives a meaning of its own is blanked out.
function(read_lines file out)
  file(READ "${file}" text)
  string(REGEX REPLACE "[];[\\]" " " text "${text}")
  string(REPLACE "\n" ";" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

foreach(folder base policy hook sandbox run library cli)
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/${folder}/*.cc" "${ROOT}/${folder}/*.h"
       "${ROOT}/${folder}/*.inc")
  foreach(file IN LISTS files)
    read_lines("${ROOT}/${file}" lines)
    set(number 0)
    foreach(line IN LISTS lines)
      math(EXPR number "${number} + 1")
      if(NOT line MATCHES "^[ \t]*#[ \t]*include[ \t]*\"([^\"]*)\"")
        continue()
      endif()
      math(EXPR seen "${seen} + 1")
      set(header "${CMAKE_MATCH_1}")
      string(REGEX MATCH "^[^/]*" target "${header}")
      if(header STREQUAL "seccomp_programs.inc")  # made while building
        continue()
      elseif(NOT header MATCHES "^[a-z]+/")
        message(SEND_ERROR "${file}:${number}: \"${header}\" is not named from the root")
      elseif(NOT target IN_LIST may_include_${folder})
        message(SEND_ERROR "${file}:${number}: ${folder} may not include \"${header}\"")
      else()
        continue()
      endif()
      math(EXPR wrong "${wrong} + 1")
    endforeach()
  endforeach()
endforeach()

if(seen EQUAL 0)
  message(SEND_ERROR "${ROOT}: no include was found at all")
endif()
message("layering: ${seen} includes, ${wrong} against the layers")
