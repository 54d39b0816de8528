# Makes npm's packages from installed trees:
#
#   cmake -DVERSION=0.1.0 -DTREE_X64=DIR [-DTREE_ARM64=DIR] -DOUTPUT=DIR -P packaging/make_npm.cmake
#
# A tree is what `cmake --install` writes below a prefix, with share/ringfence/files.sha256. OUTPUT
# gets the tarballs of the packages ringfence, @ringfence/linux-x64 and @ringfence/linux-arm64. npm
# leaves out the packages of other platforms when it installs; no package has an install script.
cmake_minimum_required(VERSION 3.25)
foreach(needed VERSION OUTPUT)
  if(NOT ${needed})
    message(FATAL_ERROR "-D${needed}=... is missing")
  endif()
endforeach()
set(source ${CMAKE_CURRENT_LIST_DIR}/npm)
file(REAL_PATH "${OUTPUT}" output BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set(work ${output}/work)
find_program(npm npm REQUIRED)

# npm has a home, a cache and settings of its own here, so that the user's do not change the result.
function(pack folder)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env HOME=${work}/home npm_config_cache=${work}/home/cache
      npm_config_userconfig=${work}/home/npmrc npm_config_update_notifier=false
      ${npm} pack --silent --ignore-scripts --pack-destination ${output}
    WORKING_DIRECTORY ${folder} OUTPUT_QUIET
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# configure_file() would take the "@" of a scope for the begin of a variable.
function(fill_in template file arch)
  file(READ ${source}/${template} text)
  string(REPLACE "%VERSION%" "${VERSION}" text "${text}")
  string(REPLACE "%ARCH%" "${arch}" text "${text}")
  file(WRITE ${file} "${text}")
endfunction()

function(pack_platform arch tree)
  set(folder ${work}/linux-${arch})
  if(NOT EXISTS ${tree}/share/ringfence/files.sha256)
    message(FATAL_ERROR "${tree} has no share/ringfence/files.sha256: install it with cmake --install first")
  endif()
  file(COPY ${tree}/ DESTINATION ${folder})
  fill_in(platform.json.in ${folder}/package.json ${arch})
  fill_in(platform.md.in ${folder}/README.md ${arch})
  file(COPY ${source}/../../LICENSE DESTINATION ${folder})
  pack(${folder})
endfunction()

file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work}/ringfence)
fill_in(package.json.in ${work}/ringfence/package.json "")
file(COPY ${source}/README.md ${source}/../../LICENSE DESTINATION ${work}/ringfence)
file(COPY ${source}/ringfence.js DESTINATION ${work}/ringfence
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
pack(${work}/ringfence)
if(TREE_X64)
  pack_platform(x64 ${TREE_X64})
endif()
if(TREE_ARM64)
  pack_platform(arm64 ${TREE_ARM64})
endif()
file(REMOVE_RECURSE ${work})
