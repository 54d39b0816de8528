#!/usr/bin/env bash
# Measures the hook as a whole process, beside a minimal program; then what `ringfence run` costs
# (bench/sandbox.sh), what stages cost (bench/stage.py), how fast `ringfence replay` is
# (bench/replay.sh) and what the way through the egress proxy costs (bench/proxy.py). Prints Markdown
# tables; asserts nothing.
#
#   bench/run.sh [--runs N] [--update] [--hook NAME=PROGRAM]... [--srt DIRECTORY]
#
# Default: both release builds, 300 runs. --update writes the figures of the hook into
# docs/performance.md, between its markers, instead of printing them. --srt names the npm package
# @anthropic-ai/sandbox-runtime, to be measured beside the egress proxy.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
runs=300
update=no
hooks=()  # NAME=PROGRAM
srt=()    # the option of proxy.py
while (($# > 0)); do
  case $1 in
    --runs) runs=${2:?--runs needs a number}; shift ;;
    --hook) hooks+=("${2:?--hook needs NAME=PROGRAM}"); shift ;;
    --update) update=yes ;;
    --srt) srt=(--srt "${2:?--srt needs a directory}"); shift ;;
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "run.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
results=$work/results
: > "$results"

build_hooks() {
  echo "building..." >&2
  local glibc=$root/build/release-glibc
  if ! {
    (cd "$root" && cmake --preset release && cmake --build --preset release) &&
      cmake -S "$root" -B "$glibc" -G Ninja -DCMAKE_BUILD_TYPE=Release -DRINGFENCE_TESTS=OFF \
        "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" -DRINGFENCE_MUSL=OFF &&
      cmake --build "$glibc" --target ringfence-hook
  } > "$work/build.log" 2>&1; then
    cat "$work/build.log" >&2
    exit 1
  fi
  if command -v musl-gcc > /dev/null; then
    hooks+=("musl=$root/build/release/ringfence-hook")
  fi
  hooks+=("glibc=$glibc/ringfence-hook")
}

# Builds the minimal program, which only reads and answers, for each installed C library.
build_programs() {
  cc -O2 -static -o "$work/spawn_bench" "$root/bench/spawn_bench.c"
  cc -O2 -static -o "$work/answer-glibc" "$root/bench/answer.c"
  if command -v musl-gcc > /dev/null; then
    musl-gcc -O2 -static -o "$work/answer-musl" "$root/bench/answer.c"
  fi
}

make_world() {
  mkdir -p "$work/home" "$work/project/src" "$work/outside"
  cat > "$work/policy.json" << END
{
  "version": 1,
  "read": { "allow": [".", "@claude-scratch"], "deny": ["**/.env", "@secrets"] },
  "write": { "allow": [".", "@claude-scratch"], "ask": ["@runs-later"], "deny": ["docs/adr"] },
  "audit": { "file": "$work/log/audit.jsonl" },
  "profiles": { "worker": { "when": { "subagent": true }, "write": { "allow": ["src"] } } }
}
END
  {
    echo '{ "version": 1, "write": { "allow": ["."], "deny": ['
    seq -f '"generated/module-%05g/out",' 9999
    echo '"generated/last"] } }'
  } > "$work/rules.json"
  echo text > "$work/project/src/a.txt"
  make_call Read "$work/project/src/a.txt" > "$work/read"
  make_call Write "$work/project/src/b.txt" > "$work/write"
  make_event 0 > "$work/small"
  make_event 1000000 > "$work/1M"
  make_event 10000000 > "$work/10M"
}

# An event of a subagent that writes SIZE bytes to a file outside the project: denied.
make_event() {
  local content=x
  if (($1 > 0)); then content=$(head -c "$1" /dev/zero | tr '\0' x); fi
  printf '{"session_id":"5b2b3f6c","cwd":"%s","permission_mode":"default",' "$work/project"
  printf '"agent_id":"a1","agent_type":"worker","hook_event_name":"PreToolUse",'
  printf '"tool_name":"Write","tool_input":{"file_path":"%s","content":"' "$work/outside/o.txt"
  printf '%s"},"tool_use_id":"toolu_01"}\n' "$content"
}

# An event of the main agent, a few bytes long.
make_call() {
  printf '{"session_id":"5b2b3f6c","cwd":"%s","permission_mode":"default",' "$work/project"
  printf '"hook_event_name":"PreToolUse","tool_name":"%s","tool_input":{"file_path":"%s"}}\n' "$1" "$2"
}

# time_all CASE INPUT POLICY [peers]: times all hooks in turn, with the programs to compare with.
time_all() {
  local case=$1 input=$2 policy=$3 commands=() hook name
  for name in musl glibc; do
    if [[ -x $work/answer-$name ]]; then
      commands+=("reads and answers, $name" "$work/answer-$name" ",")
    fi
  done
  for hook in "${hooks[@]}"; do
    commands+=("ringfence-hook, ${hook%%=*}" "${hook#*=}" --policy "$policy" ",")
  done
  if [[ ${4-} == peers ]]; then
    add_peers
  fi
  unset 'commands[-1]'
  echo "$case..." >&2
  HOME=$work/home CLAUDE_PROJECT_DIR=$work/project \
    "$work/spawn_bench" "$runs" "$input" "${commands[@]}" | sed "s/^/$case\t/" >> "$results"
}

add_peers() {
  local python node
  # Bypasses the wrappers of version managers, whose time is not the interpreter's.
  python=$(python3 -c 'import sys; print(sys.executable)' 2> /dev/null) || python=
  node=$(node -p process.execPath 2> /dev/null) || node=
  if [[ -n $python ]]; then commands+=("Python hook" "$python" "$root/bench/peers/hook.py" ","); fi
  if [[ -n $node ]]; then commands+=("Node hook" "$node" "$root/bench/peers/hook.mjs" ","); fi
  if command -v jq > /dev/null; then
    commands+=("bash and jq hook" "$(command -v bash)" "$root/bench/peers/hook.sh" ",")
  fi
}

# The fields of a result: case, program, median, 10th and 90th percentile in microseconds, peak
# resident size in KiB, exit status, bytes printed.
print_table() {
  awk -F'\t' '
    function least(name) { return "reads and answers, " (name ~ /glibc/ ? "glibc" : "musl") }
    { line[NR] = $0; median[$1, $2] = $3 }
    END {
      print "| case | program | median ms | 10 % to 90 % | ratio | peak KiB | answer |"
      print "|---|---|---|---|---|---|---|"
      for (i = 1; i <= NR; ++i) {
        split(line[i], f, "\t")
        key = f[1] SUBSEP least(f[2])
        ratio = f[2] ~ /^ringfence/ && key in median ? sprintf("%.2f", f[3] / median[key]) : ""
        answer = f[7] != 0 ? "exit " f[7] : f[8] > 0 ? "denied" : "nothing"
        printf "| %s | %s | %.3f | %.3f to %.3f | %s | %d | %s |\n",
          f[1], f[2], f[3] / 1000, f[4] / 1000, f[5] / 1000, ratio, f[6], answer
      }
      print "\nThe ratio is to the program that only reads and answers, with the same C library."
    }' "$results"
}

print_system_calls() {
  command -v strace > /dev/null || return 0
  local hook
  for hook in "${hooks[@]}"; do
    echo "- system calls, ${hook%%=*}: $(calls_of "$hook" read) for a Read that is permitted," \
      "$(calls_of "$hook" write) for a Write, $(calls_of "$hook" small) for the Write that is denied"
  done
}

# calls_of HOOK INPUT: the system calls that strace counts, from execve to exit.
calls_of() {
  HOME=$work/home CLAUDE_PROJECT_DIR=$work/project strace -f -o "$work/trace" \
    "${1#*=}" --policy "$work/policy.json" < "$work/$2" > "$work/out" || true
  grep -c '(' "$work/trace"
}

print_sizes() {
  local hook
  for hook in "${hooks[@]}"; do
    echo "- size of ringfence-hook, ${hook%%=*}: $(wc -c < "${hook#*=}") bytes"
  done
}

machine() {
  local model
  model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  echo "${model:-unknown CPU} ($(nproc) CPUs), $(uname -sr), $runs runs of each, in turns"
}

if ((${#hooks[@]} == 0)); then build_hooks; fi
build_programs
make_world
time_all "300-byte event, policy, profile, audit log" "$work/small" "$work/policy.json" peers
time_all "Write of 1 MB" "$work/1M" "$work/policy.json"
time_all "Write of 10 MB" "$work/10M" "$work/policy.json"
time_all "10,000 path rules" "$work/small" "$work/rules.json"
print_figures() {
  echo "$(machine):"
  echo
  print_table
  echo
  print_system_calls
  print_sizes
}

# Replaces the whole block between the markers.
update_page() {
  local page=$root/docs/performance.md
  awk -v figures="$work/figures" '
    /<!-- figures:end -->/ { inside = 0; seen++ }
    !inside { print }
    /<!-- figures:begin -->/ { inside = 1; seen++; while ((getline line < figures) > 0) print line }
    END { exit seen != 2 }' "$page" > "$work/page" ||
    { echo "run.sh: $page does not have its two markers" >&2; exit 1; }
  cat "$work/page" > "$page"
  echo "run.sh: wrote the figures of the hook into $page" >&2
}

if [[ $update == yes ]]; then
  print_figures > "$work/figures"
  update_page
else
  print_figures
fi
echo
"$root/bench/sandbox.sh"
echo
"$root/bench/stage.py"
echo
"$root/bench/replay.sh"
echo
"$root/bench/proxy.py" "${srt[@]}"
