#!/bin/sh
# The Action's first step: unpacks the programs into a temporary directory of the runner. It reads
# one package, a release's or the file of the input, and checks its digest before it unpacks it.
# The digests of releases are part of this tree: a workflow that names a commit of the Action runs the
# same programs, even if a release's files are replaced.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=packaging/action/common.sh
. "$here/common.sh"

repository=${RINGFENCE_REPOSITORY-}
version=${RINGFENCE_VERSION-}
digest=${RINGFENCE_SHA256-}
file=${RINGFENCE_FILE-}

read_inputs() {
  plain_value version "$version"
  plain_value file "$file"
  case $version in
    "") ;;
    [!0-9]* | *[!0-9A-Za-z.-]*) fail "the input \"version\" is \"$version\"" "write a version such as 0.1.0" ;;
  esac
  [ -n "$digest" ] || return 0
  case $digest in
    *[!0-9a-f]*) ;;
    *) if [ ${#digest} -eq 64 ]; then return 0; fi ;;
  esac
  fail "the input \"sha256\" is not a digest: \"$digest\"" "write the 64 digits of SHA256SUMS"
}

find_platform() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) platform=linux-x64 ;;
    Linux-aarch64) platform=linux-arm64 ;;
    *)
      fail "ringfence's releases are for Linux on x86-64 and arm64; this runner is $(uname -s) on $(uname -m)" \
        "use another runner, such as runs-on: ubuntu-latest"
      ;;
  esac
}

# Prints "DIGEST VERSION" of each known release for this platform.
known_releases() {
  sed -n "s/^\([0-9a-f]\{64\}\)  ringfence-\([0-9][0-9A-Za-z.-]*\)-$platform\.tar\.gz\$/\1 \2/p" \
    "$here/releases.sha256"
}

# Chooses the version, and its digest unless the input gives one.
choose_release() {
  if [ -z "$version" ]; then
    version=$(known_releases | sed -n '$s/.* //p')
    [ -n "$version" ] || fail "this version of the Action knows no release for $platform" \
      "use the Action at a release, or give \"version\" and \"sha256\", or \"file\""
  fi
  [ -z "$digest" ] || return 0
  digest=$(known_releases | awk -v version="$version" '$2 == version { print $1; exit }')
  [ -n "$digest" ] || fail "this version of the Action does not know the release $version for $platform" \
    "give its digest as \"sha256\", or use a newer version of the Action"
}

download() {
  case $repository in
    "" | */*/* | *[!0-9A-Za-z._/-]*)
      fail "the Action's own repository is not known: \"$repository\"" \
        "use the Action as OWNER/REPOSITORY@VERSION, or give \"file\""
      ;;
  esac
  command -v curl > /dev/null || fail "curl is not installed" "install it on the runner, or give \"file\""
  name=ringfence-$version-$platform.tar.gz
  url=${GITHUB_SERVER_URL:-https://github.com}/$repository/releases/download/v$version/$name
  printf 'downloading %s\n' "$url"
  curl --disable --fail --silent --show-error --location --proto =https --retry 3 --max-time 300 \
    --max-filesize 200000000 --output "$folder/package" -- "$url" 2> "$folder/errors" || {
    show "$folder/errors"
    fail "$url could not be downloaded" "the line above says why"
  }
}

copy_file() {
  case $file in
    /*) ;;
    *) file=$GITHUB_WORKSPACE/$file ;;
  esac
  [ -f "$file" ] || fail "\"$file\" is not a file" "name a package ringfence-VERSION-$platform.tar.gz"
  cp "$file" "$folder/package"
}

check_digest() {
  command -v sha256sum > /dev/null || fail "sha256sum is not installed" "install it on the runner"
  found=$(sha256sum < "$folder/package")
  found=${found%% *}
  [ -z "$digest" ] || [ "$found" = "$digest" ] ||
    fail "the package has the digest $found and should have $digest; it was not unpacked" \
      "do not use this package until you know why"
  printf 'ringfence %s, sha256 %s\n' "${version:-from a local file}" "$found"
}

unpack() {
  mkdir "$folder/tree"
  tar -xzof "$folder/package" -C "$folder/tree" 2> "$folder/errors" || {
    show "$folder/errors"
    fail "the package could not be unpacked" "name a package ringfence-VERSION-$platform.tar.gz"
  }
  rm -f "$folder/package"
  set -- "$folder"/tree/*/bin/ringfence
  if [ $# -ne 1 ] || ! [ -x "$1" ]; then
    fail "the package does not contain bin/ringfence" "name a package ringfence-VERSION-$platform.tar.gz"
  fi
  program=$1
  "$program" check --help > /dev/null 2> "$folder/errors" || {
    show "$folder/errors"
    fail "ringfence does not start on this runner" "docs/install.md says what it needs"
  }
}

read_inputs
find_platform
folder=$(mktemp -d "$RUNNER_TEMP/ringfence.XXXXXX")
trap 'rm -rf "$folder"' EXIT
if [ -n "$file" ]; then
  copy_file
else
  choose_release
  download
fi
check_digest
unpack
trap - EXIT
printf 'program=%s\n' "$program" >> "$GITHUB_OUTPUT"
