# The target git2. The static form of libgit2 is used where it and what it calls are installed, so
# that ringfence-stage runs on other systems; staging/libgit2.cc replaces what needs further
# libraries.
include_guard(GLOBAL)
find_path(GIT2_INCLUDE git2.h REQUIRED)
find_library(GIT2_LIBRARY NAMES libgit2.a git2 REQUIRED)
add_library(git2 INTERFACE)
target_include_directories(git2 SYSTEM INTERFACE ${GIT2_INCLUDE})

if(APPLE OR NOT GIT2_LIBRARY MATCHES "\\.a$")
  target_link_libraries(git2 INTERFACE ${GIT2_LIBRARY})
  return()
endif()

# In the order in which the linker needs them.
set(git2_libraries ${GIT2_LIBRARY})
foreach(name mbedtls mbedx509 mbedcrypto pcre2-8 http_parser z)
  find_library(GIT2_${name} NAMES lib${name}.a)
  if(GIT2_${name})
    list(APPEND git2_libraries ${GIT2_${name}})
  endif()
endforeach()
if(NOT DEFINED GIT2_LINKS_STATICALLY)
  set(start ${PROJECT_BINARY_DIR}/CMakeFiles/start_libgit2.cc)
  file(WRITE ${start} "#include \"staging/libgit2.h\"\nint main() { return !ringfence::StartLibgit2(); }\n")
  try_compile(GIT2_LINKS_STATICALLY ${PROJECT_BINARY_DIR}/CMakeFiles/libgit2
    SOURCES ${start} ${PROJECT_SOURCE_DIR}/staging/libgit2.cc ${PROJECT_SOURCE_DIR}/base/result.cc
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR};${GIT2_INCLUDE}"
    LINK_LIBRARIES ${git2_libraries} CXX_STANDARD 20)
endif()
if(GIT2_LINKS_STATICALLY)
  target_link_libraries(git2 INTERFACE ${git2_libraries})
else()
  message(STATUS "ringfence-stage links libgit2 dynamically")
  find_library(GIT2_SHARED_LIBRARY NAMES git2 REQUIRED)
  target_link_libraries(git2 INTERFACE ${GIT2_SHARED_LIBRARY})
endif()
