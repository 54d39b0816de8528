# Writes a C++ source with facts about the build, unless it has them already. Run at each build, since
# the commit changes without any source.
#
#   cmake -DSOURCE=DIR -DLIBRARIES=FILE -DOUTPUT=FILE.cc -P cmake/build_facts.cmake
cmake_minimum_required(VERSION 3.25)

# Not with a repository further up, which is another project's.
set(ENV{GIT_CEILING_DIRECTORIES} "${SOURCE}/..")
execute_process(COMMAND git -C ${SOURCE} rev-parse --verify HEAD OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
set(is_modified false)
if(failed)
  set(commit "")
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(is_modified true)
  endif()
endif()
file(READ ${LIBRARIES} libraries)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[#include "cli/command_line/build_facts.h"

namespace ringfence {

const std::string_view kCommit = "@commit@";
const bool kIsModified = @is_modified@;
const std::string_view kLibraries = R"json(@libraries@)json";

}  // namespace ringfence
]])
