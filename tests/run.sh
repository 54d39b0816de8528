#!/usr/bin/env bash
# Builds the programs and runs every test. The last line is "N passed, N failed, N skipped"; the
# exit status is 1 if anything failed.
#
#   tests/run.sh [OPTIONS]
#
#   --corpora DIR    also test with other projects' data from this directory
#   --macos FILE     also compile for macOS with this toolchain file for CMake
#   --full           all of clang-tidy, five minutes per fuzzer, each pinned client in each case and
#                    mode, the whole escape list on three kernels, the sandbox on arm64
#   --quick          no clang-tidy, no coverage
#   --only PART      only this part; may be given again
#   --no-deps        do not install packages
#   --list           list the parts
#
# If ccache is installed, the build uses its cache.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
pytest_parts=(packages kernels day client schema sandbox system arm64)  # the longest tests first
last_parts=(sanitizers coverage tidy fuzz macos)
all_parts=(install layering format library serial unit "${pytest_parts[@]}" "${last_parts[@]}")
parts=()
corpora=
macos=
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
      [[ -d ${2-} ]] || wrong_usage "--corpora needs a directory, not \"${2-}\""
      corpora=$(cd "$2" && pwd)
      shift
      ;;
    --macos)
      [[ -f ${2-} ]] || wrong_usage "--macos needs a file, not \"${2-}\""
      macos=$(realpath "$2")
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
  # These parts take minutes and find no wrong decisions.
  if [[ $quick == yes ]]; then parts=("${parts[@]/coverage/}") parts=("${parts[@]/tidy/}"); fi
  if [[ -z $macos ]]; then parts=("${parts[@]/macos/}"); fi
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

# check NAME COMMAND...: one test; shows its output if it fails.
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

# --- pytest -------------------------------------------------------------------------------------

pytest_folders=()

# run_pytest OPTIONS...: the tests that the options select.
run_pytest() {
  local options=(--durations=20)
  if [[ -n $corpora ]]; then options+=("--corpora=$corpora"); fi
  if [[ $full == yes ]]; then options+=(--full); fi
  # In CI, no test of the sandbox may be skipped.
  REQUIRE_SANDBOX=1 count_program pytest python3 -m pytest "${options[@]}" "$@"
}

# The directories of all parts at once, three tests at a time: tests spend a third of the time
# waiting for programs, so three keep both cores busy.
run_pytest_parts() {
  ((${#pytest_folders[@]} > 0)) || return
  local parallel=() began=$SECONDS
  if python3 -c 'import xdist' 2> /dev/null; then parallel=(-n 3 --dist loadgroup); fi
  run_pytest -m "not serial" "${parallel[@]}" "${pytest_folders[@]}"
  part_seconds[pytest]=$((SECONDS - began))
  pytest_folders=()
}

# --- several programs at a time -----------------------------------------------------------------

# `program` adds a command to the list, and run_programs runs the list and prints the output of
# each.
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
  wait "${pids[@]}"  # not for a background build
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
early_build=no  # yes while the preset coverage builds in the background

# Builds the target of part_unit while earlier parts leave a core idle.
begin_coverage_build() {
  {
    nice -n 19 cmake --preset coverage && nice -n 19 cmake --build --preset coverage
  } > /dev/null 2>&1 &  # build() reports errors
  early_build=yes
}

# build PRESET [TARGET]: builds once; shows the log if it fails.
build() {
  local preset=$1 began=$SECONDS targets=() what=$1${2+ $2}
  if [[ $preset == release ]]; then targets=(--target all probes); fi
  if (($# == 2)); then targets=(--target "$2"); fi
  if [[ $preset == coverage && $early_build == yes ]]; then
    wait
    early_build=no
  fi
  if [[ -z ${built[$what]-} ]]; then
    if cmake --preset "$preset" > "$work/$preset.log" 2>&1 &&
      cmake --build --preset "$preset" "${targets[@]}" >> "$work/$preset.log" 2>&1; then
      built[$what]=yes
      echo "(preset $what built in $((SECONDS - began)) s)"
    else
      built[$what]=no
      tail -n 60 "$work/$preset.log"
    fi
  fi
  [[ ${built[$what]} == yes ]] && return
  fail "preset $what does not build"
  return 1
}

hook=build/release/ringfence-hook

# --- the parts --------------------------------------------------------------------------------

part_layering() {
  check "layering" python3 tests/layering.py
  # Tests the check itself: an include that points up must be found, with its place.
  mkdir -p "$work/tree/base"
  printf '#pragma once\n\n#include "policy/decide.h"\n' > "$work/tree/base/wrong.h"
  if python3 tests/layering.py --root "$work/tree" > "$work/layering.log" 2>&1; then
    fail "layering: base may include policy"
  else
    check "layering: names the place" grep -q 'base/wrong.h:3' "$work/layering.log"
  fi
  check "sources have at most 400 lines" no_long_sources
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

# Prints the sources with more than 400 lines.
no_long_sources() { ! sources | xargs wc -l | awk '$1 > 400 && $2 != "total"' | grep .; }

sources() { find agents audit_log base policy hook sandbox run proxy cli include library examples tests fuzz -name '*.cc' -o -name '*.h' | sort; }

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

# One build for the sanitizers and the coverage. The tests run in shares, two at a time, in the
# build directory: with a compile cache, the names of their sources are relative to it.
part_unit() {
  build coverage || return
  local count share
  local -r shares=24
  rm -rf build/coverage/profiles && mkdir build/coverage/profiles
  count=$(build/coverage/tests/unit_tests -c | sed -n 's/.*current filters: *\([0-9]*\)$/\1/p')
  [[ $count -gt 100 ]] || fail "unit tests: there are \"$count\""
  # The last shares start first: they take the longest.
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
  # Tests print the reason for everything that they skip.
  while read -r reason; do skip "${reason#*skipped: }"; done < <(
    grep -o 'skipped: .*' "$1" | sort -u
  )
  # doctest counts the tests of other shares as passed.
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
  pytest_folders+=(tests/schema tests/kdl)
}

# Installs twice, as a new user might: the second time must change nothing. Then uninstalls twice.
part_install() {
  local prefix=$work/prefix home=$work/home project=$work/home/project file
  mkdir -p "$project"
  for _ in 1 2; do
    check "install.sh" env "HOME=$home" ./install.sh --no-deps --prefix "$prefix" "$project"
  done
  for file in bin/ringfence-hook bin/ringfence bin/ringfence-cli bin/ringfence-proxy bin/ringfence-stage share/man/man1/ringfence.1 \
    share/man/man1/ringfence-hook.1 share/man/man5/ringfence-policy.5 \
    share/ringfence/files.sha256 share/ringfence/policy.schema.json share/doc/ringfence/LICENSE share/doc/ringfence/docs/faq.md \
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

# The AppArmor profile: written completely or not at all, and accepted by AppArmor's parser.
install_profile() {
  wait_for_packages
  local stage=$work/stage profile=$work/stage/etc/apparmor.d/ringfence
  check "AppArmor: no folder, no profile" refuses env "DESTDIR=$stage" sh packaging/apparmor.sh --prefix /opt/ringfence
  mkdir -p "$stage/etc/apparmor.d"
  check "AppArmor: a path with patterns" refuses env "DESTDIR=$stage" sh packaging/apparmor.sh \
    --prefix '/opt/{a,b}'
  check "AppArmor: nothing written" test -z "$(ls -A "$stage/etc/apparmor.d")"
  check "AppArmor: written" env "DESTDIR=$stage" sh packaging/apparmor.sh --prefix /opt/ring-fence
  check "AppArmor: whole" test "$(ls -A "$stage/etc/apparmor.d")" = ringfence
  check "AppArmor: names the program" grep -q '^profile ringfence /opt/ring-fence/bin/ringfence' "$profile"
  if need apparmor_parser "AppArmor: parsed"; then
    # Before version 4 the parser knows neither the rule nor the version's name.
    if apparmor_parser --version | grep -q 'version [0-3]\.'; then
      sed -i -e '/^ *userns,$/d' -e '/^abi /d' "$profile"
    fi
    check "AppArmor: parsed" apparmor_parser -Q -K "$profile"
  fi
  check "AppArmor: removed" env "DESTDIR=$stage" sh packaging/apparmor.sh --remove --prefix /opt/ring-fence
  check "AppArmor: gone" test ! -e "$profile"
  check "AppArmor: removed twice" env "DESTDIR=$stage" sh packaging/apparmor.sh --remove --prefix /opt/ring-fence
}

# Without --prefix nothing is removed, and the message names the right prefix.
names_other_prefix() {  # HOME PREFIX
  said=$(HOME=$1 ./install.sh --uninstall 2>&1) && return 1
  case $said in
    *"--uninstall --prefix \"$2\""*) test -x "$2/bin/ringfence-hook" ;;
    *) return 1 ;;
  esac
}

refuses() { ! "$@"; }

# libringfence as other programs find it: its test, and the example by CMake and by pkg-config.
part_macos() {
  if [[ -z $macos ]]; then
    skip "macos: --macos names no toolchain"
    return
  fi
  check "the programs compile and link for macOS" tests/macos/compile.sh "$macos" build/macos
}

part_library() {
  build release || return
  # The library contains the path of its program: the same prefix as in part_install, so that little
  # is rebuilt.
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

# Checks that the man pages have every command and option of --help.
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

# The behaviour of the built programs, from outside.
part_system() {
  build release || return
  pytest_folders+=(tests/system/hook tests/system/cli)
}

# `ringfence run`: attempts to escape and ordinary work that must succeed, as an ordinary user and
# as root, and with the weaker layers.
part_sandbox() {
  build release || return
  pytest_folders+=(tests/system/run tests/system/proxy)
}

# cross_build TARGET...: programs for arm64.
cross_build() {
  if ! packaging/arm64_packages.sh --sysroot build/arm64-sysroot > "$work/output" 2>&1; then
    cat "$work/output"
    fail "the libraries for arm64"
    return 1
  fi
  local target
  for target in "$@"; do build release-arm64 "$target" || return; done
}

# The hook for arm64, under qemu-user, gives the answers of this machine's hook. With --full also the
# packages for arm64.
part_arm64() {
  need aarch64-linux-gnu-g++ arm64 || return
  need qemu-aarch64-static arm64 || return
  build release || return
  cross_build ringfence-hook seccomp_programs || return
  pytest_folders+=(tests/system/arm64)
  [[ $full == yes ]] && need rpmbuild "arm64: packages" || return
  cross_build packages || return
  check "packages for arm64" are_for_arm64 build/release-arm64/packages
}

# The digests, the architecture that the packages name, and that of each program.
are_for_arm64() {  # PACKAGES
  local tree=$work/arm64 program
  mkdir -p "$tree"
  (cd "$1" && sha256sum --check --quiet SHA256SUMS) &&
    [[ $(dpkg-deb --field "$1"/*.deb Architecture) == arm64 ]] &&
    [[ $(rpm --query --package --queryformat '%{ARCH}' "$1"/*.rpm) == aarch64 ]] &&
    tar -xzf "$1"/ringfence-*-linux-arm64.tar.gz -C "$tree" --strip-components=1 || return
  (cd "$tree" && sha256sum --check --quiet share/ringfence/files.sha256) || return
  for program in "$tree"/bin/*; do
    [[ $(od -An -tu2 -j18 -N2 "$program" | tr -d ' ') == 183 ]] || return  # e_machine: EM_AARCH64
  done
  grep -q '"name": "musl"' <(qemu-aarch64-static "$tree/bin/ringfence-cli" --version --json)
}

# Debian 12's kernel in QEMU: the sandbox with older Landlock and namespaces, and with cgroups,
# AppArmor and settings that this machine may lack. With --full also on arm64.
part_kernels() {
  build release || return
  if [[ $full == yes ]] && need aarch64-linux-gnu-g++ "kernels: programs for arm64" &&
    need qemu-aarch64-static "kernels: programs for arm64"; then
    cross_build all probes || return
  fi
  pytest_folders+=(tests/system/kernels)
}

# The real client without a model, and its own schema.
part_client() {
  build release || return
  pytest_folders+=(tests/system/client tests/system/client_schema)
}

# Each package in a fresh root or home, with the real client; built twice, and compared.
part_packages() {
  build release || return
  need rpmbuild packages || return
  build release packages || return
  pytest_folders+=(tests/system/packages)
}

# A working day with the real clients and init's policy.
part_day() {
  build release || return
  pytest_folders+=(tests/system/day)
}

# Tests that run alone: limits of every kind, a thousand hooks at once, a failure of each step of a
# sandbox start. The thousand hooks need both cores to answer within their deadline.
part_serial() {
  build release || return
  local -r crowd=tests/system/hook/test_limits_crowd.py
  run_pytest -m serial "$crowd"
  if is_one_of unit "${parts[@]}"; then begin_coverage_build; fi
  run_pytest -m serial "--ignore=$crowd" tests/system/hook tests/system/run
}

# The egress proxy with each sanitizer: less load, and the same faults and floods. The attacks reach
# the worker's only thread.
part_sanitizers() {
  need clang++ sanitizers || return
  build release || return
  local preset files parallel=()
  if python3 -c 'import xdist' 2> /dev/null; then parallel=(-n 2); fi
  for preset in coverage thread; do
    build "$preset" ringfence-proxy || continue
    files=(tests/system/proxy/test_{load,faults,floods}.py)
    if [[ $preset == coverage ]]; then files+=(tests/system/proxy/test_attacks.py); fi
    program "ringfence-proxy of the preset $preset" env REQUIRE_SANDBOX=1 python3 -m pytest "${parallel[@]}" \
      "--proxy=build/$preset/ringfence-proxy" "${files[@]}"
  done
}

# fuzz_one NAME SECONDS: the fixtures are the seeds; findings stay in build/fuzz/NAME.
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
  local seconds=10 targets name
  if [[ $full == yes ]]; then seconds=300; fi
  targets=$(find build/fuzz/fuzz -maxdepth 1 -name '*_fuzz' -type f -perm -u+x -printf '%f\n' | sort)
  [[ -n $targets ]] || fail "there is no fuzzer"
  for name in $targets; do program "$name" fuzz_one "$name" "$seconds"; done
}

part_coverage() {
  build coverage || return
  # Keeps the counts of the unit tests if they ran in this run.
  local more=
  if [[ " ${parts[*]} " == *" unit "* ]]; then more=--no-unit; fi
  # shellcheck disable=SC2086
  program coverage python3 tests/coverage/measure.py --build build/coverage $more
}

# Checks sources that changed since the commit in tests/tidy/checked, or all of them with --full.
part_tidy() {
  need clang-tidy tidy || return
  need clang++ tidy || return
  # Configures, and builds only generated files: clang-tidy needs the compile commands.
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

packages=no  # yes while packages for the tests are being installed

no_packages() {
  [[ ! -e $work/packages.log ]] || tail -n 60 "$work/packages.log"
  fail "packages"
  echo "$passed passed, $failed failed, $skipped skipped"
  exit 1
}

# Installs the packages of the tests while install.sh compiles.
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

# Uses ccache only if it was installed before this run: CMake rebuilds everything if the compiler
# launcher changes.
use_ccache() {
  command -v ccache > /dev/null || return
  # The same sources in another directory, such as a fresh clone, hit the cache.
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=yes CCACHE_SLOPPINESS=pch_defines,time_macros
  export CCACHE_DEPEND=yes  # preprocess only on a cache miss
  export CCACHE_EXTRAFILES=$root/cmake/not_sanitized.txt:$root/cmake/not_counted.txt:$root/fuzz/not_traced.txt
}

# Puts the first python3 that has pytest first in PATH. Resolves the shim of a version manager,
# whose every start takes a tenth of a second.
find_pytest() {
  local python found
  for python in python3 /usr/bin/python3; do
    found=$("$python" -c 'import pytest, sys; print(sys.executable)' 2> /dev/null) || continue
    mkdir -p "$work/bin"
    ln -sf "$found" "$work/bin/python3"
    PATH=$work/bin:$PATH
    return
  done
}

# --- main -------------------------------------------------------------------------------------

is_one_of() {  # WORD WORDS...
  local word=$1
  shift
  [[ " $* " == *" $word "* ]]
}

use_ccache
if [[ $deps == yes ]]; then install_packages; fi
declare -A part_seconds=()
for part in "${parts[@]}"; do
  [[ -n $part ]] || continue
  if [[ $part != install ]]; then
    wait_for_packages
    [[ -e $work/bin/python3 ]] || find_pytest
  fi
  # The tests of several parts run together, after the builds and tests that use both cores.
  if ! is_one_of "$part" "${pytest_parts[@]}"; then run_pytest_parts; fi
  began=$SECONDS
  echo "== $part"
  "part_$part"
  part_seconds[$part]=$((${part_seconds[$part]-0} + SECONDS - began))
done
run_pytest_parts
run_programs 2
echo "== seconds of each part; pytest: the tests of ${pytest_parts[*]}"
for part in "${parts[@]}" pytest; do
  is_one_of "$part" "" "${pytest_parts[@]}" || printf '%-12s%6d\n' "$part" "${part_seconds[$part]-0}"
done
printf '%-12s%6d\n' "all" "$SECONDS"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
