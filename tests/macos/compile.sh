#!/usr/bin/env bash
# Compiles and links the programs for macOS with a cross compiler. Nothing of it runs here.
#
#   tests/macos/compile.sh TOOLCHAIN BUILD
#
# TOOLCHAIN is a file for CMake (CMAKE_TOOLCHAIN_FILE), BUILD the directory to build in. The headers
# of libraries are those of this machine, and libgit2 is replaced by a library with its names.
set -euo pipefail

toolchain=$(realpath "$1")
mkdir -p "$2"
build=$(realpath "$2")
cd "$(dirname "$0")/../.."
export CMAKE_C_COMPILER_LAUNCHER='' CMAKE_CXX_COMPILER_LAUNCHER=''  # ccache does not know the compiler

# Only these of /usr/include: the others are glibc's.
headers=$build/headers packages=$build/packages
mkdir -p "$headers" "$packages" "$build/libgit2"
for name in nlohmann CLI git2 git2.h; do ln -sfn "/usr/include/$name" "$headers/$name"; done
ln -sfn "$PWD/tests/macos/headers/sys" "$headers/sys"
package() {  # NAME TARGET VERSION
  printf 'add_library(%s INTERFACE IMPORTED GLOBAL)\nset_target_properties(%s PROPERTIES %s "%s")\n' \
    "$2" "$2" INTERFACE_INCLUDE_DIRECTORIES "$headers" |
    { echo "if(NOT TARGET $2)" && cat && echo 'endif()'; } > "$packages/$1Config.cmake"
  printf 'set(PACKAGE_VERSION %s)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n' "$3" \
    > "$packages/$1ConfigVersion.cmake"
}
package nlohmann_json nlohmann_json::nlohmann_json 3.11
package CLI11 CLI11::CLI11 2.1

{ grep -rhoE '\bgit_[a-z0-9_]+\(' staging cli/stage | tr -d '(' || true
  grep -rhoE '\bgit_[a-z0-9_]+_free\b' staging || true; } | sort -u |
  sed 's/.*/void &(void) {}/' > "$build/libgit2/names.c"

configure() {
  cmake -G Ninja -Wno-dev "-DCMAKE_TOOLCHAIN_FILE=$toolchain" -DCMAKE_BUILD_TYPE=Debug "$@"
}
configure -S tests/macos/libgit2 -B "$build/libgit2"
cmake --build "$build/libgit2"
configure -S . -B "$build/programs" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DRINGFENCE_WERROR=ON \
  -DRINGFENCE_TESTS=OFF -DRINGFENCE_PROBES=OFF "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -fno-sanitize=all" \
  "-DGIT2_LIBRARY=$(find "$build/libgit2" -name 'libgit2.*' | head -n 1)" "-DGIT2_INCLUDE=$headers" \
  "-Dnlohmann_json_DIR=$packages" "-DCLI11_DIR=$packages"
cmake --build "$build/programs" --target ringfence ringfence-cli ringfence-hook ringfence-stage
for program in ringfence ringfence-cli ringfence-hook ringfence-stage; do
  [[ $(od -An -tx4 -N4 "$build/programs/$program") == *feedfacf ]] || {
    echo "$program is not a Mach-O program" >&2
    exit 1
  }
done
