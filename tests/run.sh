#!/usr/bin/env bash
# Builds everything that is tested and runs every test. The last line is "N passed, N failed,
# N skipped"; the exit status is 1 when anything failed.
#
#   tests/run.sh [OPTIONS]
#
#   --corpora DIR    also run other projects' data from this folder
#   --full           all of clang-tidy, five minutes for each fuzzer, each pinned client in each case,
#                    the whole escape list on three kernels
#   --quick          ten seconds for each fuzzer, no clang-tidy, no coverage
#   --only PART      only this part; may be given again
#   --no-deps        do not install packages
#   --list           list the parts
#
# Where ccache is installed, what was compiled before is taken from its cache.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
program_parts=(day client kernels schema system sandbox agreement faults)  # the longest programs first
last_parts=(coverage tidy fuzz)
all_parts=(install layering format library limits runs unit "${program_parts[@]}" "${last_parts[@]}")
parts=()
corpora=
quick=no
full=no
deps=yes
passed=0 failed=0 skipped=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

usage() { sed -n '2,/^set -uo/s/^# \{0,1\}//p' "$0" | sed '/^set -uo/d'; }

wrong_usage() {
  echo "run.sh: error: $1" >&2
  echo "  Hint: tests/run.sh --help" >&2
  exit 2
}

while (($# > 0)); do
  case $1 in
    --corpora)
      [[ -d ${2-} ]] || wrong_usage "--corpora needs a folder, not \"${2-}\""
      corpora=$(cd "$2" && pwd)
      shift
      ;;
    --quick) quick=yes ;;
    --full) full=yes ;;
    --only)
      [[ " ${all_parts[*]} " == *" ${2-} "* ]] || wrong_usage "there is no part \"${2-}\""
      parts+=("$2")
      shift
      ;;
    --no-deps) deps=no ;;
    --list)
      printf '%s\n' "${all_parts[@]}"
      exit 0
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) wrong_usage "\"$1\" is not an option" ;;
  esac
  shift
done
if [[ $quick == yes && $full == yes ]]; then wrong_usage "--quick and --full exclude each other"; fi
if ((${#parts[@]} == 0)); then
  parts=("${all_parts[@]}")
  # What takes minutes and finds no wrong decision.
  if [[ $quick == yes ]]; then parts=("${parts[@]/coverage/}") parts=("${parts[@]/tidy/}"); fi
fi

# --- counting ---------------------------------------------------------------------------------

add() { passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3)); }

pass() { add 1 0 0; }

fail() {
  echo "FAIL $1"
  add 0 1 0
}

skip() {
  echo "SKIP $1"
  add 0 0 1
}

# check NAME COMMAND...: one test; its output is shown when it fails.
check() {
  local name=$1
  shift
  if "$@" > "$work/output" 2>&1; then
    pass
  else
    tail -n 100 "$work/output"
    fail "$name"
  fi
}

# count_program NAME COMMAND...: runs a program whose last line is "N passed, N failed, N skipped".
count_program() {
  local name=$1 status
  shift
  "$@" 2>&1 | tee "$work/output"
  status=${PIPESTATUS[0]}
  count_output "$name" "$status" "$work/output"
}

# --- several programs at a time -----------------------------------------------------------------

# `program` adds one to the list and run_programs runs the list; each prints its output at its end.
job_names=() job_commands=() job_parts=()

# program NAME COMMAND...: its last line is "N passed, N failed, N skipped".
program() {
  job_names+=("$1") job_parts+=("$part")
  shift
  job_commands+=("$(printf '%q ' "$@")")
}

run_job() {  # NUMBER
  local began=$SECONDS
  eval "${job_commands[$1]}" > "$work/job.$1" 2>&1
  echo "$? $((SECONDS - began))" > "$work/job-status.$1"
}

run_programs() {  # AT_A_TIME
  ((${#job_names[@]} > 0)) || return
  local -r at_a_time=$1
  local number status seconds pids=()
  for number in "${!job_names[@]}"; do
    while (($(jobs -pr | wc -l) >= at_a_time)); do wait -n; done
    run_job "$number" < /dev/null &
    pids+=($!)
  done
  wait "${pids[@]}"  # not for a build in the background
  for number in "${!job_names[@]}"; do
    read -r status seconds < "$work/job-status.$number"
    echo "-- ${job_names[$number]}: $seconds s"
    part_seconds[${job_parts[$number]}]=$((${part_seconds[${job_parts[$number]}]-0} + seconds))
    cat "$work/job.$number"
    count_output "${job_names[$number]}" "$status" "$work/job.$number"
  done
  job_names=() job_commands=() job_parts=()
}

count_output() {  # NAME STATUS FILE
  local last
  last=$(tail -n 1 "$3")
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
    add "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[3]}"
    # The counts and the exit status must agree.
    if ((BASH_REMATCH[2] == 0 && $2 != 0)); then fail "$1: exit $2"; fi
  else
    fail "$1: exit $2, and its last line has no counts"
  fi
}

need() {
  command -v "$1" > /dev/null && return
  skip "$2: $1 is not installed"
  return 1
}

# --- building ---------------------------------------------------------------------------------

declare -A built=()
early_build=no  # whether the preset coverage is being built in the background

# Builds what part_unit needs while the parts before it leave a core idle.
begin_coverage_build() {
  {
    nice -n 19 cmake --preset coverage && nice -n 19 cmake --build --preset coverage
  } > /dev/null 2>&1 &  # build() shows what is wrong
  early_build=yes
}

# build PRESET: once; the log is shown when it fails.
build() {
  local preset=$1 began=$SECONDS targets=()
  if [[ $preset == release ]]; then targets=(--target all probes); fi
  if [[ $preset == coverage && $early_build == yes ]]; then
    wait
    early_build=no
  fi
  if [[ -z ${built[$preset]-} ]]; then
    if cmake --preset "$preset" > "$work/$preset.log" 2>&1 &&
      cmake --build --preset "$preset" "${targets[@]}" >> "$work/$preset.log" 2>&1; then
      built[$preset]=yes
      echo "(preset $preset built in $((SECONDS - began)) s)"
    else
      built[$preset]=no
      tail -n 60 "$work/$preset.log"
    fi
  fi
  [[ ${built[$preset]} == yes ]] && return
  fail "preset $preset does not build"
  return 1
}

hook=build/release/ringfence-hook
command=build/release/ringfence

# --- the parts --------------------------------------------------------------------------------

part_layering() {
  check "layering" python3 tests/layering.py
  # The check itself: an arrow that points up must be found, with its place.
  mkdir -p "$work/tree/base"
  printf '#pragma once\n\n#include "policy/decide.h"\n' > "$work/tree/base/wrong.h"
  if python3 tests/layering.py --root "$work/tree" > "$work/layering.log" 2>&1; then
    fail "layering: base may include policy"
  else
    check "layering: names the place" grep -q 'base/wrong.h:3' "$work/layering.log"
  fi
  count_program file_local_names.py python3 tests/file_local_names.py
  count_program error_text.py python3 tests/error_text.py
  printf '\nbool IsGone(const Error& error) { return error.what == "ENOENT"; }\n' \
    > "$work/tree/base/wrong.cc"
  if python3 tests/error_text.py "$work/tree" > "$work/error_text.log" 2>&1; then
    fail "error_text.py: an error's text may be compared"
  else
    check "error_text.py: names the place" grep -q 'base/wrong.cc:2' "$work/error_text.log"
  fi
}

sources() { find agents audit_log base policy hook sandbox run cli include library examples tests fuzz -name '*.cc' -o -name '*.h' | sort; }

part_format() {
  need clang-format format || return
  local files
  mapfile -t files < <(sources)
  if clang-format --dry-run --Werror "${files[@]}" > "$work/output" 2>&1; then
    add "${#files[@]}" 0 0
  else
    grep -m 20 error: "$work/output"
    fail "clang-format: run it on the files above"
  fi
}

# One build for the sanitizers and the coverage, and the tests in shares of it, two at a time. They
# start in the build folder: with a compile cache, the names of their sources are relative to it.
part_unit() {
  build coverage || return
  local count share
  local -r shares=24
  rm -rf build/coverage/profiles && mkdir build/coverage/profiles
  count=$(build/coverage/tests/unit_tests -c | sed -n 's/.*current filters: *\([0-9]*\)$/\1/p')
  [[ $count -gt 100 ]] || fail "unit tests: there are \"$count\""
  # The last ones, which take the longest, begin.
  for ((share = shares; share > 0; --share)); do
    echo "$share $((count * (share - 1) / shares + 1)) $((count * share / shares))"
  done | RINGFENCE_CORPORA=$corpora xargs -P 2 -L 1 sh -c '
    cd build/coverage && tests/unit_tests -nc -f="$2" -l="$3" > "$0/unit.$1" 2>&1
    echo $? > "$0/unit-status.$1"' "$work"
  for ((share = 1; share <= shares; ++share)); do
    count_unit "$work/unit.$share" "$(cat "$work/unit-status.$share")" \
      $((count * share / shares - count * (share - 1) / shares))
  done
}

count_unit() {  # OUTPUT STATUS TESTS
  local line
  line=$(grep -F '[doctest] test cases:' "$1" | tail -n 1)
  # Whatever a test could not run says so.
  while read -r reason; do skip "${reason#*skipped: }"; done < <(
    grep -o 'skipped: .*' "$1" | sort -u
  )
  # doctest counts those of other shares as passed.
  if [[ $line =~ \ passed\ \|\ +([0-9]+)\ failed\ \| ]]; then
    add $(($3 - BASH_REMATCH[1])) "${BASH_REMATCH[1]}" 0
    echo "unit tests: $3, ${BASH_REMATCH[1]} failed"
    (($2 == 0)) || tail -n 100 "$1"
    if (($2 != 0 && BASH_REMATCH[1] == 0)); then fail "unit tests: exit $2"; fi
  else
    tail -n 100 "$1"
    fail "unit tests: exit $2"
  fi
}

part_schema() {
  build coverage || return
  local loader=build/coverage/tests/schema/load_policy
  program schema_test.py python3 tests/schema/schema_test.py --load-policy "$loader"
  program keys_test.py python3 tests/schema/keys_test.py --load-policy "$loader"
  program kdl_test.py python3 tests/kdl/kdl_test.py --read-kdl build/coverage/tests/kdl/read_kdl
}

# Twice, as a newcomer would: the second time must change nothing. Then it is removed, twice.
part_install() {
  local prefix=$work/prefix home=$work/home project=$work/home/project file
  mkdir -p "$project"
  for _ in 1 2; do
    check "install.sh" env "HOME=$home" ./install.sh --no-deps --prefix "$prefix" "$project"
  done
  for file in bin/ringfence-hook bin/ringfence share/man/man1/ringfence.1 \
    share/man/man1/ringfence-hook.1 share/man/man5/ringfence-policy.5 \
    share/ringfence/policy.schema.json share/doc/ringfence/LICENSE share/doc/ringfence/docs/faq.md \
    share/bash-completion/completions/ringfence share/zsh/site-functions/_ringfence \
    share/fish/vendor_completions.d/ringfence.fish; do
    check "installed: $file" test -s "$prefix/$file"
  done
  check "man pages name every option" man_pages_name_options "$prefix"
  check "registered" grep -q "$prefix/bin/ringfence-hook" "$project/.claude/settings.local.json"
  check "the installed hook is the one that was built" cmp "$prefix/bin/ringfence-hook" "$hook"
  check "install.sh --uninstall names the prefix that is registered" \
    names_other_prefix "$home" "$prefix"
  for _ in 1 2; do
    check "install.sh --uninstall" env "HOME=$home" ./install.sh --uninstall --prefix "$prefix"
  done
  check "uninstalled: every file" test -z "$(find "$prefix" -type f -o -type l)"
  check "unregistered" refuses grep -qs ringfence-hook "$project/.claude/settings.local.json"
  install_profile
}

# The AppArmor profile, for a package: written whole or not at all, and taken by AppArmor's parser.
install_profile() {
  wait_for_packages
  local stage=$work/stage profile=$work/stage/etc/apparmor.d/ringfence
  check "AppArmor: no folder, no profile" refuses env "DESTDIR=$stage" ./install.sh --apparmor
  mkdir -p "$stage/etc/apparmor.d"
  check "AppArmor: a path with patterns" refuses env "DESTDIR=$stage" ./install.sh --apparmor \
    --prefix '/opt/{a,b}'
  check "AppArmor: nothing written" test -z "$(ls -A "$stage/etc/apparmor.d")"
  check "AppArmor: written" env "DESTDIR=$stage" ./install.sh --apparmor --prefix /opt/ring-fence
  check "AppArmor: whole" test "$(ls -A "$stage/etc/apparmor.d")" = ringfence
  check "AppArmor: names the program" grep -q '^profile ringfence /opt/ring-fence/bin/ringfence' "$profile"
  if need apparmor_parser "AppArmor: parsed"; then
    # Before version 4 the parser knows neither the rule nor the version's name.
    if apparmor_parser --version | grep -q 'version [0-3]\.'; then
      sed -i -e '/^ *userns,$/d' -e '/^abi /d' "$profile"
    fi
    check "AppArmor: parsed" apparmor_parser -Q -K "$profile"
  fi
  check "AppArmor: removed" env "DESTDIR=$stage" ./install.sh --remove-apparmor
  check "AppArmor: gone" test ! -e "$profile"
  check "AppArmor: removed twice" env "DESTDIR=$stage" ./install.sh --remove-apparmor
}

# Without the prefix nothing is removed, and the message says which one to name.
names_other_prefix() {  # HOME PREFIX
  said=$(HOME=$1 ./install.sh --uninstall 2>&1) && return 1
  case $said in
    *"--uninstall --prefix \"$2\""*) test -x "$2/bin/ringfence-hook" ;;
    *) return 1 ;;
  esac
}

refuses() { ! "$@"; }

# libringfence as other programs find it: its test, and the example by CMake and by pkg-config.
part_library() {
  build release || return
  # The library knows where its program is installed: as part_install says, which has built it so.
  local prefix=$work/prefix example=$work/example
  cmake --preset release "-DCMAKE_INSTALL_PREFIX=$prefix" > "$work/output" 2>&1 &&
    cmake --build --preset release >> "$work/output" 2>&1 &&
    cmake --install build/release >> "$work/output" 2>&1 || {
    tail -n 60 "$work/output"
    fail "libringfence cannot be installed"
    return
  }
  check "library_test builds" build_against "$prefix" tests/library "$work/library_test"
  check "library_test" "$work/library_test/library_test"
  check "example by find_package" build_against "$prefix" examples/sandboxed_command "$example"
  check "example: effects" tests/library/example.sh "$example/sandboxed_command"
  need pkg-config "example by pkg-config" || return
  cp -r examples/sandboxed_command "$work/made"
  check "example by pkg-config" env "PKG_CONFIG_PATH=$prefix/lib/pkgconfig" make -C "$work/made"
  check "example by pkg-config: effects" tests/library/example.sh "$work/made/sandboxed_command"
}

build_against() {  # PREFIX SOURCE BUILD
  cmake -S "$2" -B "$3" -G Ninja "-DCMAKE_PREFIX_PATH=$1" -DCMAKE_BUILD_TYPE=Release &&
    cmake --build "$3"
}

# Whatever --help lists of commands and options stands in a man page too.
man_pages_name_options() {
  local bin=$1/bin pages=$1/share/man/man1 word command_name missing=0
  {
    "$bin/ringfence-hook" --help | grep -oE '^ +--[a-z-]+' | sed 's/.*--/ringfence-hook -/'
    "$bin/ringfence" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' |
      while read -r command_name; do
        echo "ringfence $command_name"
        "$bin/ringfence" "$command_name" --help | grep -oE '^ +(-h,)?--[a-z-]+' |
          sed "s/.*--/ringfence-$command_name -/"
        "$bin/ringfence" "$command_name" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' |
          while read -r word; do
            "$bin/ringfence" "$command_name" "$word" --help | grep -oE '^ +(-h,)?--[a-z-]+' |
              sed "s/.*--/ringfence-$command_name -/"
          done
      done
  } | sort -u > "$work/options"
  [[ -s $work/options ]] || missing=1
  while read -r page word; do
    grep -qE "(Fl|\||Cm) (-user.*)?$word( |$)" "$pages/$page.1" || {
      echo "$page.1 does not name $word"
      missing=1
    }
  done < "$work/options"
  return $missing
}

# What the built programs do, as seen from outside.
part_system() {
  build release || return
  local file
  program audit_html.py python3 tests/system/audit_html.py --hook "$hook" --ringfence "$command"
  program corpus.py python3 tests/system/corpus.py --hook "$hook" ${corpora:+--corpora "$corpora"}
  program captures.py python3 tests/system/captures.py --hook "$hook"
  program failure.py python3 tests/system/failure.py --hook "$hook"
  program failures.py python3 tests/system/failures.py --hook "$hook"
  program wrap.py python3 tests/system/wrap.py --hook "$hook"
  program mcp.py python3 tests/system/mcp.py --hook "$hook"
  for file in init commands places first_texts mcp_servers check audit audit_formats log doctor \
    replay settings layout client_limits changes_nothing remedies; do
    program $file.py python3 tests/system/$file.py --hook "$hook" --ringfence "$command"
  done
  if [[ -x build/release/probes/fail_call ]]; then
    program crash.py python3 tests/system/crash.py --hook "$hook" --ringfence "$command" \
      --fail-call build/release/probes/fail_call
  else
    skip "crash.py: fail_call is for x86-64"
  fi
}

# Attempts to get out and work that must go on, for an ordinary user and for root, and with the
# weaker layers. Where CI runs, nothing may be skipped.
part_sandbox() {
  build release || return
  local probe=build/release/probes/escape_probe options user file
  for options in "" --as-root "--layers landlock" "--layers landlock --as-root"; do
    # shellcheck disable=SC2086
    program "escape.py $options" env REQUIRE_SANDBOX=1 python3 tests/system/escape.py \
      --probe "$probe" --ringfence "$command" $options
  done
  for user in "" --as-root; do
    for file in run_ways_out run_agent alerts run_covered_proc run_mounts run_git run_git_targets \
      run_streams; do
      # shellcheck disable=SC2086
      program "$file.py $user" python3 tests/system/$file.py --hook "$hook" \
        --ringfence "$command" $user
    done
  done
  # A minute of names at random as an ordinary user, a third of it as root.
  for options in "" "--as-root --seconds 20"; do
    # shellcheck disable=SC2086
    program "random_names.py $options" python3 tests/system/random_names.py \
      --ringfence "$command" --random-names build/release/probes/random_names $options
  done
  program run.py python3 tests/system/run.py --hook "$hook" --ringfence "$command"
  program run_aliases.py python3 tests/system/run_aliases.py --hook "$hook" --ringfence "$command"
  program enter.py python3 tests/system/enter.py --hook "$hook" --ringfence "$command"
}

# On Debian 12's kernel in QEMU: what the sandbox does where Landlock and namespaces are older, and
# with cgroups, AppArmor and settings that this machine need not have.
part_kernels() {
  build release || return
  local each=
  if [[ $full == yes ]]; then each=--full; fi
  # shellcheck disable=SC2086
  program "kernels" python3 tests/system/kernels/run.py --ringfence "$command" --hook "$hook" \
    --probe build/release/probes/escape_probe $each
}

# Ten thousand questions: the hook's answer, and what the kernel does.
part_agreement() {
  build release || return
  local probes=build/release/probes
  program agreement.py python3 tests/system/agreement.py --agreement $probes/agreement \
    --agreement-probe $probes/agreement_probe --ringfence "$command"
}

# `ringfence run` as a whole: each step failed and killed, its end, real programs in it. The first one
# alone: which calls a start needs depends on what others make in /tmp.
part_runs() {
  build release || return
  local probes=build/release/probes file
  if [[ -x $probes/fail_call ]]; then
    count_program run_faults.py python3 tests/system/run_faults.py --ringfence "$command" \
      --fail-call $probes/fail_call
  else
    skip "run_faults.py: fail_call is for x86-64"
  fi
  program run_status.py python3 tests/system/run_status.py --ringfence "$command"
  for file in programs run_surroundings ordinary_work terminals; do
    program $file.py python3 tests/system/$file.py --ringfence "$command"
  done
}

part_client() {
  build release || return
  local each=
  if [[ $full == yes ]]; then each=--each-client; fi
  # shellcheck disable=SC2086
  program client python3 tests/system/client/run.py --hook "$hook" --ringfence "$command" $each
  program client_schema python3 tests/system/client_schema/run.py
}

# A working day with the real clients and the policy that init writes: two sessions at a time.
part_day() {
  build release || return
  program day python3 tests/system/day/run.py --hook "$hook" --ringfence "$command"
}

part_faults() {
  build release || return
  program faults.py python3 tests/system/faults.py --hook "$hook"
}

# Alone: a thousand hooks at once have five seconds each.
part_limits() {
  build release || return
  count_program limits.py python3 tests/system/limits.py --hook "$hook"
}

# fuzz_one NAME SECONDS: seeds are the fixtures; what is found stays in build/fuzz/NAME.
fuzz_one() {
  local name=$1 seconds=$2 corpus=build/fuzz/$1 log=$work/$1.log seeds
  mkdir -p "$corpus"
  seeds=$(find fuzz/seeds/"${name%_fuzz}" -maxdepth 0 -type d 2> /dev/null || true)
  # shellcheck disable=SC2086
  if build/fuzz/fuzz/"$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$corpus/crash-" -print_final_stats=1 "$corpus" $seeds > "$log" 2>&1; then
    echo "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs"
    echo "1 passed, 0 failed, 0 skipped"
  else
    tail -n 60 "$log"
    echo "FAIL $name"
    echo "0 passed, 1 failed, 0 skipped"
    return 1
  fi
}

part_fuzz() {
  need clang++ fuzz || return
  build fuzz || return
  local seconds=15 targets name
  if [[ $quick == yes ]]; then seconds=10; fi
  if [[ $full == yes ]]; then seconds=300; fi
  targets=$(find build/fuzz/fuzz -maxdepth 1 -name '*_fuzz' -type f -perm -u+x -printf '%f\n' | sort)
  [[ -n $targets ]] || fail "there is no fuzzer"
  for name in $targets; do program "$name" fuzz_one "$name" "$seconds"; done
}

part_coverage() {
  build coverage || return
  # What the unit tests have counted stays, where they ran just now.
  local more=
  if [[ " ${parts[*]} " == *" unit "* ]]; then more=--no-unit; fi
  # shellcheck disable=SC2086
  program coverage python3 tests/coverage/measure.py --build build/coverage $more
}

# The sources that changed since the commit in tests/tidy/checked, with --full all of them.
part_tidy() {
  need clang-tidy tidy || return
  need clang++ tidy || return
  # Only configured, and what the build generates: clang-tidy reads the commands.
  cmake --preset clang -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON > "$work/clang.log" 2>&1 &&
    cmake --build --preset clang --target seccomp_programs >> "$work/clang.log" 2>&1 || {
    tail -n 60 "$work/clang.log"
    fail "preset clang cannot be configured"
    return
  }
  local all=
  if [[ $full == yes ]]; then all=--all; fi
  # shellcheck disable=SC2086
  program tidy.py python3 tests/tidy/tidy.py --build build/clang $all
}

# --- packages -----------------------------------------------------------------------------------

packages=no  # whether what only the tests need is being installed

no_packages() {
  [[ ! -e $work/packages.log ]] || tail -n 60 "$work/packages.log"
  fail "packages"
  echo "$passed passed, $failed failed, $skipped skipped"
  exit 1
}

# What the tests need comes while install.sh compiles.
install_packages() {
  ./install.sh --only-deps || no_packages
  {
    ./install.sh --only-deps --with-tests > "$work/packages.log" 2>&1
    echo $? > "$work/packages-status"
  } &
  packages=yes
}

wait_for_packages() {
  [[ $packages == yes ]] || return
  wait
  [[ $(cat "$work/packages-status") == 0 ]] || no_packages
  cat "$work/packages.log"
  packages=no
}

# ccache serves a run only if it was installed before: CMake rebuilds everything when the compiler's
# launcher changes.
use_ccache() {
  command -v ccache > /dev/null || return
  # The same sources in another folder, such as a fresh clone, count as compiled.
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=yes CCACHE_SLOPPINESS=pch_defines,time_macros
  export CCACHE_DEPEND=yes  # preprocess only once what is not in the cache
  export CCACHE_EXTRAFILES=$root/cmake/not_sanitized.txt:$root/cmake/not_counted.txt:$root/fuzz/not_traced.txt
}

# Where python3 is the shim of a version manager, each start would take a tenth of a second.
avoid_python_shim() {
  local folder
  folder=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))') || return
  if [[ $(command -v python3) != "$folder/python3" ]]; then PATH=$folder:$PATH; fi
}

# --- all of it --------------------------------------------------------------------------------

is_one_of() {  # WORD WORDS...
  local word=$1
  shift
  [[ " $* " == *" $word "* ]]
}

use_ccache
if [[ $deps == yes ]]; then install_packages; fi
declare -A part_seconds=()
before=
for part in "${parts[@]}"; do
  [[ -n $part ]] || continue
  if [[ $part != install ]]; then
    wait_for_packages
    avoid_python_shim
  fi
  # Programs wait until the builds and tests that use both cores are done, and the other way round. They
  # wait for what they test a third of the time, so three of them keep both cores busy.
  if is_one_of "$part" "${last_parts[@]}"; then
    is_one_of "$before" "${last_parts[@]}" || run_programs 3
  elif ! is_one_of "$part" "${program_parts[@]}"; then
    run_programs 3
  fi
  began=$SECONDS
  echo "== $part"
  "part_$part"
  if [[ $part == install ]] && is_one_of unit "${parts[@]}"; then begin_coverage_build; fi
  part_seconds[$part]=$((${part_seconds[$part]-0} + SECONDS - began))
  before=$part
done
if is_one_of "$before" "${last_parts[@]}"; then run_programs 2; else run_programs 3; fi
echo "== seconds of each part; the programs of several parts run at the same time"
for part in "${parts[@]}"; do
  [[ -z $part ]] || printf '%-12s%6d\n' "$part" "${part_seconds[$part]}"
done
printf '%-12s%6d\n' "all" "$SECONDS"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
