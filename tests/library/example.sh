#!/bin/sh
# Runs the example and checks its results:  example.sh PROGRAM
set -eu
program=$(realpath "$1")
world=$(mktemp -d /var/tmp/ringfence-example-XXXXXX)
trap 'rm -rf "$world"' EXIT
mkdir "$world/home" "$world/project" "$world/data" "$world/other"
cd "$world/project"
export HOME="$world/home"

expect() {  # STATUS ARGUMENT...
  want=$1
  shift
  status=0
  "$program" "$@" > "$world/out" 2> "$world/err" || status=$?
  [ "$status" -eq "$want" ] || {
    echo "status $status instead of $want: $*"
    cat "$world/out" "$world/err"
    exit 1
  }
}

expect 0 sandbox "$world/data" touch "$world/data/a" in
[ -e "$world/data/a" ] && [ -e in ]
expect 1 sandbox "$world/data" touch "$world/other/x"
[ ! -e "$world/other/x" ]
grep -q "refused: write to \"$world/other/x\"" "$world/err"
expect 1 rx "$world/data" touch "$world/data/b" no
[ -e "$world/data/b" ] && [ ! -e no ]
expect 125 sandbox "$world/missing" touch no
grep -q 'is not a directory' "$world/err" && [ ! -e no ]
expect 127 sandbox "$world/data" no-such-program
expect 0 --plan sandbox "$world/data" touch no
grep -q "write   \"$world/data\"" "$world/out" && [ ! -e no ]
