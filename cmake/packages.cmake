# The target `packages`: a .deb, an .rpm, a tarball and npm packages of what `cmake --install` writes,
# with a list of what is in them and SHA256SUMS. docs/releasing.md says how to use it.
#
# Two builds of the same commit give the same bytes: times are that of the commit, owners are root,
# and directories of the build machine appear nowhere.
set(RINGFENCE_MAINTAINER "ringfence maintainers <maintainers@ringfence.example>" CACHE STRING
  "Name and address in packages, as NAME <ADDRESS>")

set(CPACK_PACKAGE_NAME ringfence)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR ringfence)
set(CPACK_PACKAGE_CONTACT "${RINGFENCE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "boundaries for coding agents, enforced by a hook and the kernel")
set(CPACK_PACKAGE_DESCRIPTION_FILE ${PROJECT_SOURCE_DIR}/packaging/description.txt)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_SET_DESTDIR ON)
set(CPACK_PACKAGE_RELOCATABLE OFF)
set(CPACK_STRIP_FILES OFF)  # the linker has stripped them
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
  GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# Without libringfence, which contains the path of its programs.
set(CPACK_INSTALL_CMAKE_PROJECTS ${PROJECT_BINARY_DIR} ringfence programs /)
set(CPACK_GENERATOR DEB RPM External)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/packaging/cpack_options.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/prepare_tree.cmake)

set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/deb/postinst
  ${PROJECT_SOURCE_DIR}/packaging/deb/prerm)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_GROUP Applications/System)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PRE_UNINSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/packaging/deb/prerm)
set(CPACK_EXTERNAL_ENABLE_STAGING ON)
set(CPACK_EXTERNAL_PACKAGE_SCRIPT ${PROJECT_SOURCE_DIR}/packaging/make_tarball.cmake)

# Names of the architecture in each kind of package.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
  set(CPACK_RINGFENCE_NODE_CPU x64)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  set(CPACK_RINGFENCE_NODE_CPU arm64)
else()
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
  set(CPACK_RINGFENCE_NODE_CPU ${CMAKE_SYSTEM_PROCESSOR})
endif()
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_FILE_NAME ringfence-${PROJECT_VERSION}-linux-${CPACK_RINGFENCE_NODE_CPU})
# For the scripts in packaging/.
set(CPACK_RINGFENCE_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_RINGFENCE_BUILD ${PROJECT_BINARY_DIR})
set(CPACK_RINGFENCE_OBJDUMP ${CMAKE_OBJDUMP})
set(CPACK_RINGFENCE_EMULATOR ${CMAKE_CROSSCOMPILING_EMULATOR})
include(CPack)

add_custom_target(packages
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}
    -P ${PROJECT_SOURCE_DIR}/packaging/make_packages.cmake
  DEPENDS ringfence ringfence-hook ringfence-cli ringfence-stage ringfence-proxy
  USES_TERMINAL VERBATIM)
