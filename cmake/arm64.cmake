# Toolchain file: builds for arm64 Linux with Debian's cross compiler (g++-aarch64-linux-gnu). Headers
# that are the same on every architecture come from this machine, libraries from the sysroot, which
# packaging/arm64_packages.sh downloads. qemu-user runs the programs that the build itself needs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source_folder)
set(RINGFENCE_SYSROOT ${source_folder}/build/arm64-sysroot CACHE PATH "Static libraries for arm64")
if(NOT EXISTS ${RINGFENCE_SYSROOT}/usr/lib/aarch64-linux-musl/rcrt1.o)
  message(FATAL_ERROR "${RINGFENCE_SYSROOT} has no libraries; run: packaging/arm64_packages.sh --sysroot build/arm64-sysroot")
endif()
# Not CMAKE_SYSROOT: headers, libstdc++ and what programs with a shared C library link with are the
# cross compiler's.
set(CMAKE_FIND_ROOT_PATH ${RINGFENCE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RINGFENCE_SYSROOT)
