#!/usr/bin/env bash
# Measures what `ringfence run` costs: starting and ending a static program, beside the same layers
# set up by a bare C program and beside other installed sandboxes; and work inside, beside the same
# work outside. Prints Markdown tables; asserts nothing. Run it as an ordinary user: root has more
# to hide.
#
#   bench/sandbox.sh [--runs N] [--ringfence PROGRAM]    default: the release build, 200 starts
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
runs=200
ringfence=$root/build/release/ringfence
while (($# > 0)); do
  case $1 in
    --runs) runs=${2:?--runs needs a number}; shift ;;
    --ringfence) ringfence=$(realpath "${2:?--ringfence needs a program}"); shift ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "sandbox.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
[[ -x $ringfence ]] || { echo "sandbox.sh: no program $ringfence; build it first" >&2; exit 1; }

# Not below /tmp: every sandbox has its own /tmp.
work=$(mktemp -d "${XDG_CACHE_HOME:-$HOME}/ringfence-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
project=$work/project
commands=()

build_programs() {
  cc -O2 -static -o "$work/spawn_bench" "$root/bench/spawn_bench.c"
  cc -O2 -static -I"$(dirname "$ringfence")/sandbox/filters" -o "$work/bare_layers" \
    "$root/bench/bare_layers.c"
  echo 'int main(void) { return 0; }' > "$work/true.c"
  cc -O2 -static -o "$work/true" "$work/true.c"
}

make_project() {
  mkdir -p "$project/src"
  git init -q "$project"
  local folder file
  for folder in $(seq 100); do
    mkdir "$project/src/$folder"
    for file in $(seq 100); do
      echo "int f_${folder}_$file(int x) { return x * $file + $folder; }" \
        > "$project/src/$folder/$file.c"
    done
  done
  git -C "$project" add -A
  git -C "$project" -c user.name=n -c user.email=e commit -qm all
  tar -cf "$project/.git/some.tar" -C "$project" src/{1..30}
}

# Prints the paths that ringfence hides and seals, for the bare program.
planned_places() {
  "$ringfence" run --dry-run --json -- "$work/true" | python3 -c '
import json, sys
plan = json.load(sys.stdin)
for place in plan["hidden"] + [{"path": p} for p in plan.get("hidden_sockets", [])]:
    print("hide", place["path"] if isinstance(place["path"], str) else place["path"]["path"], sep="\n")
for place in plan["sealed"]:
    print("seal", place["path"], sep="\n")'
}

# add NAME COMMAND...: adds the command to the comparison, if it starts the program at all.
add() {
  local name=$1 program
  program=$(command -v "$2") || return 0
  shift 2
  set -- "$program" "$@"
  if ! (cd "$project" && "$@" "$work/true") > "$work/log" 2>&1; then
    echo "$name does not work here: $(head -n 1 "$work/log")" >&2
    return 0
  fi
  commands+=("$name" "$@" "$work/true" ",")
}

time_starts() {
  local places
  mapfile -t places < <(cd "$project" && planned_places)
  commands=("nothing around it" "$work/true" ",")
  add "bare C, the full layers" "$work/bare_layers" full "$project" "${places[@]}" --
  add "ringfence run" "$ringfence" run --
  add "bare C, Landlock" "$work/bare_layers" landlock "$project" --
  add "ringfence run --layers landlock" "$ringfence" run --layers landlock --
  add "bwrap" bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind "$project" "$project" \
    --unshare-all --die-with-parent --new-session --
  add "nsjail" nsjail -Q -Mo --chroot / --bindmount "$project" --
  add "firejail" firejail --quiet --noprofile --net=none --private-tmp --
  add "srt" srt
  add "codex sandbox" codex sandbox --
  unset 'commands[-1]'
  echo "starts..." >&2
  (cd "$project" && "$work/spawn_bench" "$runs" /dev/null "${commands[@]}")
}

print_starts() {
  awk -F'\t' '
    { name[NR] = $1; median[$1] = $2; low[NR] = $3; high[NR] = $4 }
    END {
      print "| a start and its end | median ms | 10 % to 90 % | to the bare program |"
      print "|---|---|---|---|"
      for (i = 1; i <= NR; ++i) {
        least = name[i] ~ /landlock|Landlock/ ? "bare C, Landlock" : "bare C, the full layers"
        ratio = i > 1 && least in median ? sprintf("%.2f", median[name[i]] / median[least]) : ""
        printf "| %s | %.2f | %.2f to %.2f | %s |\n", name[i], median[name[i]] / 1000,
          low[i] / 1000, high[i] / 1000, ratio
      }
    }'
}

# time_work NAME SCRIPT: times the script in the project, outside and inside the sandbox in turn.
time_work() {
  echo "$1..." >&2
  (cd "$project" && "$work/spawn_bench" "${3:-15}" /dev/null \
    "outside" /bin/sh -c "$2" "," "inside" "$ringfence" run -- /bin/sh -c "$2") |
    awk -F'\t' -v name="$1" '
      { median[NR] = $2; status[NR] = $6 }
      END {
        note = status[1] != 0 || status[2] != 0 ? " (exit " status[1] " and " status[2] ")" : ""
        printf "| %s%s | %.1f | %.1f | %.2f |\n", name, note, median[1] / 1000, median[2] / 1000,
          median[2] / median[1]
      }'
}

machine() {
  local model
  model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  echo "${model:-unknown CPU} ($(nproc) CPUs), $(uname -sr), user $(id -u), $runs starts of each in turns:"
}

build_programs
make_project
machine
echo
time_starts | print_starts
echo
echo "| work | outside ms | inside ms | ratio |"
echo "|---|---|---|---|"
time_work "git status, 10,000 files" "git status --porcelain > /dev/null"
time_work "the same, five times in one start" 'for i in 1 2 3 4 5; do git status --porcelain > /dev/null; done'
time_work "find and cat, 10,000 files" "find src -name '*.c' -exec cat {} + > /dev/null"
time_work "400 forks" 'i=0; while [ $i -lt 400 ]; do /bin/true; i=$((i + 1)); done'
time_work "a C build, 18 files" \
  'for f in src/1/?.c src/2/?.c; do cc -O1 -c -o "$f.o" "$f" || exit 1; done' 7
time_work "unpacking 3,000 small files" \
  'rm -rf unpacked && mkdir unpacked && tar -xf .git/some.tar -C unpacked' 7
