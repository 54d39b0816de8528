#!/bin/sh
# Unpacks Debian packages for arm64 below a directory. Needs neither root nor a foreign architecture
# of dpkg, and installs nothing; apt checks the signatures.
#
#   packaging/arm64_packages.sh [--dependencies] DIR PACKAGE...
#   packaging/arm64_packages.sh --sysroot DIR
#
# --dependencies  also unpacks what the packages depend on
# --sysroot       the static libraries and headers that cmake/arm64.cmake needs
#
# DIR/owners has the package, the source package and its version of each static library. Does nothing
# if DIR has these packages already. Package lists are kept beside DIR, in
# arm64-lists, for the next call.
set -eu

fail() {
  printf '%s\n' "arm64_packages.sh: error: $1" >&2
  exit 1
}

how=download
case ${1-} in
  --dependencies) how=dependencies && shift ;;
  --sysroot)
    [ $# -eq 2 ] || fail "--sysroot needs a directory"
    shift
    # The packages after libgit2-dev are what its static form needs.
    set -- "$1" libc6-dev musl-dev libseccomp-dev libmd-dev libgit2-dev libmbedtls-dev libpcre2-dev \
      libhttp-parser-dev zlib1g-dev
    ;;
esac
[ $# -ge 2 ] || fail "needs a directory and packages"
command -v apt-get > /dev/null || fail "apt-get is not installed: this needs Debian"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
done_file=$folder/.packages
if [ ! -e "$done_file" ] && [ -n "$(ls -A "$folder")" ]; then
  fail "\"$folder\" has other files, which would be removed"
fi
wanted="$how $*"
if [ "$(cat "$done_file" 2> /dev/null)" = "$wanted" ]; then exit 0; fi

state=$(dirname "$folder")/arm64-lists
place=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$place"' EXIT
mkdir -p "$state/lists/partial" "$place/cache/archives/partial" "$place/root"
: > "$state/status"  # of dpkg: nothing is installed

apt() {  # PROGRAM ARGUMENT...
  program=$1
  shift
  "$program" -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o "Dir::State=$state" \
    -o "Dir::State::status=$state/status" -o "Dir::Cache=$place/cache" -o Acquire::Languages=none \
    -o APT::Install-Recommends=false "$@"
}

fetch() {
  if [ "$how" = dependencies ]; then
    apt apt-get install -y --download-only "$@"
  else
    (cd "$place/cache/archives" && apt apt-get download "$@")
  fi
}

# The lists can be missing, or older than the mirror.
if ! fetch "$@" > "$place/log" 2>&1; then
  if ! { apt apt-get update && fetch "$@"; } > "$place/log" 2>&1; then
    cat "$place/log" >&2
    fail "the packages could not be downloaded"
  fi
fi
for name in bin lib sbin; do
  mkdir -p "$place/root/usr/$name"
  ln -s "usr/$name" "$place/root/$name"
done
for package in "$place"/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" |
    tar -x --no-same-owner --no-same-permissions --keep-directory-symlink -C "$place/root"
  owner=$(dpkg-deb -W --showformat='${Package} ${source:Package} ${source:Version}' "$package")
  dpkg-deb --fsys-tarfile "$package" | tar -t | sed -n "s|^\.\(/.*\.a\)\$|\1 $owner|p" >> "$place/root/owners"
done
if [ "$how" = download ]; then
  # Links to shared libraries, which are in other packages: only the static ones are for linking.
  find "$place/root" -name '*.so' -type l -exec rm {} +
fi
printf '%s\n' "$wanted" > "$place/root/.packages"
chmod 755 "$place/root"
rm -rf "$folder"
mv "$place/root" "$folder"
