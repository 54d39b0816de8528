# Runs CPack, then writes SHA256SUMS:
#
#   cmake -DSOURCE=DIR -DBUILD=DIR -P packaging/make_packages.cmake
cmake_minimum_required(VERSION 3.25)

set(packages ${BUILD}/packages)
foreach(tool rpmbuild python3 npm)
  find_program(${tool}_program ${tool})
  if(NOT ${tool}_program)
    message(FATAL_ERROR "${tool} is not installed; packages cannot be made without it")
  endif()
endforeach()

if(BUILD MATCHES " ")
  message(FATAL_ERROR "rpmbuild cannot use \"${BUILD}\", which has a space: build in another directory")
endif()

# All times in the packages.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C ${SOURCE} log -1 --format=%ct OUTPUT_VARIABLE time
    OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(failed OR NOT time MATCHES "^[0-9]+$")
    message(FATAL_ERROR "${SOURCE} is not a git repository, so the time of the commit is not known. "
      "Set SOURCE_DATE_EPOCH to a time in seconds since 1970.")
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${time})
endif()
set(ENV{TZ} UTC)
set(ENV{LC_ALL} C)

file(REMOVE_RECURSE ${packages})
find_program(cpack cpack REQUIRED)
execute_process(COMMAND sh -c "umask 022 && exec \"$0\" \"$@\"" ${cpack}
  --config ${BUILD}/CPackConfig.cmake -B ${packages} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${packages}/_CPack_Packages)
file(GLOB described ${packages}/*-linux-*.json)  # CPack's description of its "external" package
list(FILTER described EXCLUDE REGEX "spdx")
file(REMOVE ${described})

# In the order of names, in the format of sha256sum(1).
file(GLOB names RELATIVE ${packages} ${packages}/*.* ${packages}/npm/*)
list(SORT names)
set(sums "")
foreach(name IN LISTS names)
  file(SHA256 ${packages}/${name} sum)
  string(APPEND sums "${sum}  ${name}\n")
  message(STATUS "${packages}/${name}")
endforeach()
file(WRITE ${packages}/SHA256SUMS "${sums}")
