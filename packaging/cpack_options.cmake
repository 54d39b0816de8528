# Read by CPack for each kind of package.
set(CPACK_INSTALL_PREFIX /usr)
if(CPACK_GENERATOR STREQUAL "External")
  set(CPACK_INSTALL_PREFIX /${CPACK_PACKAGE_FILE_NAME})
  return()
endif()

# The oldest glibc that has every function that the programs call.
set(floor 0)
foreach(program ringfence-proxy ringfence-stage)
  execute_process(COMMAND ${CPACK_RINGFENCE_OBJDUMP} -T ${CPACK_RINGFENCE_BUILD}/${program}
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "GLIBC_[0-9.]+" versions "${symbols}")
  foreach(version IN LISTS versions)
    string(REPLACE "GLIBC_" "" version "${version}")
    if(version VERSION_GREATER floor)
      set(floor ${version})
    endif()
  endforeach()
endforeach()
if(floor EQUAL 0)
  message(FATAL_ERROR "${CPACK_RINGFENCE_OBJDUMP} shows no version of a function of glibc")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${floor})")

# rpmbuild finds the requirements itself. For the same bytes on each machine:
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _buildhost ringfence
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _build_id_links none
%define __os_install_post %{nil}
%define _binary_payload w7.xzdio")
set(CPACK_RPM_PACKAGE_AUTOREQPROV ON)
# The system's own directories, which other packages own.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1 /usr/share/man/man5
  /usr/share/bash-completion /usr/share/bash-completion/completions /usr/share/zsh
  /usr/share/zsh/site-functions /usr/share/fish /usr/share/fish/vendor_completions.d /usr/share/doc)
