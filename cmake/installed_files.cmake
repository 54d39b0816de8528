# Runs at the end of `cmake --install`: writes share/ringfence/files.sha256, the list by which
# `ringfence install` copies the programs and `ringfence uninstall --programs` removes them. Its
# format is that of sha256sum, with paths relative to the prefix, sorted. The list does not name
# itself. Below /usr a package manager knows the files, so there the list is left out; CPack
# installs the files for /usr into a directory of its own first.
if(CMAKE_INSTALL_PREFIX MATCHES "^/usr/?$" OR CMAKE_INSTALL_PREFIX MATCHES "/_CPack_Packages/.*/usr/?$")
  return()
endif()

string(REGEX REPLACE "/+$" "" prefix "${CMAKE_INSTALL_PREFIX}")
string(LENGTH "${prefix}/" length)
set(paths "")
foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
  string(FIND "${file}" "${prefix}/" at)
  if(at EQUAL 0)
    string(SUBSTRING "${file}" ${length} -1 path)
    list(APPEND paths "${path}")
  endif()
endforeach()
list(SORT paths)
list(REMOVE_DUPLICATES paths)

set(lines "")
foreach(path IN LISTS paths)
  file(SHA256 "$ENV{DESTDIR}${prefix}/${path}" digest)
  string(APPEND lines "${digest}  ${path}\n")
endforeach()
set(list "${prefix}/share/ringfence/files.sha256")
message(STATUS "Installing: $ENV{DESTDIR}${list}")
file(WRITE "$ENV{DESTDIR}${list}" "${lines}")
list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${list}")
