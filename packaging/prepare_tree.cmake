# Run by CPack on the tree that becomes a package. Packages for a system have compressed manual
# pages, and Debian's has files with names of its own.
if(CPACK_GENERATOR STREQUAL "External")
  return()
endif()
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
file(GLOB pages ${share}/man/man*/*.[15])
execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  # rpmbuild keeps the times of files that are older than the commit.
  execute_process(
    COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch --no-dereference "--date=@$ENV{SOURCE_DATE_EPOCH}" {} +
    COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)  # zsh searches there on Debian
set(documents ${share}/doc/ringfence)
file(REMOVE ${documents}/LICENSE)  # Debian has it
file(COPY ${CPACK_RINGFENCE_SOURCE}/packaging/deb/copyright DESTINATION ${documents})
file(COPY ${CPACK_RINGFENCE_SOURCE}/packaging/deb/lintian-overrides DESTINATION ${share}/lintian/overrides)
file(RENAME ${share}/lintian/overrides/lintian-overrides ${share}/lintian/overrides/ringfence)
string(TIMESTAMP time "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog "ringfence (${CPACK_PACKAGE_VERSION}) stable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}: see CHANGELOG.md in this directory.

 -- ${CPACK_PACKAGE_CONTACT}  ${time}
")
execute_process(COMMAND gzip -9n ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE texts ${share}/doc/ringfence/* ${share}/lintian/* ${share}/ringfence/*)
list(FILTER texts EXCLUDE REGEX "\\.sh$")
file(CHMOD ${texts} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
