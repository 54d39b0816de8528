#!/bin/sh
# The Action's second step: runs ringfence check and ringfence audit. It shows their findings as
# annotations and in the job's summary, and writes them to SARIF files. Its own outputs are written
# before it fails, so that a later step can upload them.
set -eu
set -f  # names are not patterns

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=packaging/action/common.sh
. "$here/common.sh"

newline='
'
program=${RINGFENCE_PROGRAM:?}
sarif=${RINGFENCE_SARIF-}
settings=${RINGFENCE_SETTINGS-}
errors=0 warnings=0 found=no broken=no

read_inputs() {
  case $RINGFENCE_COMMAND in
    check | audit | both) ;;
    *) fail "the input \"command\" is \"$RINGFENCE_COMMAND\"" "write check, audit or both" ;;
  esac
  strict='' fails=no
  if truth strict "$RINGFENCE_STRICT"; then strict=--strict; fi
  if truth fail "$RINGFENCE_FAIL"; then fails=yes; fi
  plain_value sarif "$sarif"
  [ -z "$settings" ] || return 0
  if [ -e .claude/settings.json ] || [ -L .claude/settings.json ]; then settings=.claude/settings.json; fi
}

make_folders() {
  work=$(mktemp -d "$RUNNER_TEMP/ringfence-report.XXXXXX")
  : "${sarif:=$work/sarif}"
  case $sarif in
    /*) ;;
    *) sarif=$GITHUB_WORKSPACE/$sarif ;;
  esac
  mkdir -p "$sarif" 2> "$work/errors" || {
    show "$work/errors"
    fail "the directory \"$sarif\" could not be created" "give another one as \"sarif\""
  }
}

# count LEVEL FILE: the number of annotations.
count() { grep -c "^::$1 " "$2" || true; }

# add_summary COMMAND FILE: each line is indented, so that none of it is markup.
add_summary() {
  {
    printf '### ringfence %s\n\n' "$1"
    tr -d '\r' < "$2" | head -c 500000 | sed 's/^/    /'
    printf '\n\n'
  } >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
}

# report COMMAND ARGUMENTS...: the command runs once for each form of its report.
report() {
  name=$1 status=0
  shift
  "$program" "$name" --format github "$@" > "$work/annotations" 2> "$work/errors" || status=$?
  cat "$work/annotations"
  "$program" "$name" --format text "$@" > "$work/text" 2> /dev/null || true
  add_summary "$name" "$work/text"
  errors=$((errors + $(count error "$work/annotations")))
  warnings=$((warnings + $(count warning "$work/annotations")))
  if [ "$status" -gt 1 ]; then
    show "$work/errors"
    broken=yes
    return
  fi
  if [ "$status" -eq 1 ]; then found=yes; fi
  "$program" "$name" --format sarif "$@" > "$work/$name.sarif" 2> /dev/null || [ $? -eq 1 ] || {
    broken=yes
    return
  }
  mv -f "$work/$name.sarif" "$sarif/ringfence-$name.sarif"
  printf 'ringfence %s: %s\n' "$name" "$sarif/ringfence-$name.sarif" > "$work/written"
  show "$work/written"
}

# Lines are arguments: they are split at newlines only, on purpose.
run_check() {
  IFS=$newline
  # shellcheck disable=SC2086
  set -- $RINGFENCE_POLICY $settings
  unset IFS
  [ $# -gt 0 ] || fail "the inputs \"policy\" and \"settings\" are empty" "name a policy"
  report check --elsewhere ${strict:+"$strict"} -- "$@"
}

run_audit() {
  IFS=$newline
  # shellcheck disable=SC2086
  set -- $RINGFENCE_ARGUMENTS
  for policy in $RINGFENCE_POLICY; do set -- "$@" "--policy=$policy"; done
  # shellcheck disable=SC2086
  set -- "$@" -- $RINGFENCE_FIXTURES
  unset IFS
  report audit "$@"
}

cd "$GITHUB_WORKSPACE"
read_inputs
make_folders
if [ "$RINGFENCE_COMMAND" != audit ]; then run_check; fi
if [ "$RINGFENCE_COMMAND" != check ]; then run_audit; fi
printf '%s\n' "sarif=$sarif" "errors=$errors" "warnings=$warnings" >> "$GITHUB_OUTPUT"
if [ "$broken" = yes ]; then fail "not everything could be checked" "the lines above say why"; fi
if [ "$found" = yes ] && [ "$fails" = yes ]; then exit 1; fi
