# Functions of the Action's scripts, which read this file. The runner interprets each line of the
# output that begins with "::", or that has "##[", as a command: text that is not our own must pass
# through escaped() or show().
# shellcheck shell=sh

LC_ALL=C
export LC_ALL
carriage_return=$(printf '\r')

# escaped TEXT: as the message of a command.
escaped() {
  printf '%s\n' "$1" | sed -e 's/%/%25/g' -e "s/$carriage_return/%0D/g" |
    awk '{ printf "%s%s", (NR > 1 ? "%0A" : ""), $0 }'
}

# fail WHAT HINT
fail() {
  printf '::error title=ringfence::%s%%0AHint: %s\n' "$(escaped "$1")" "$(escaped "$2")"
  exit 2
}

# show FILE: prints any text. Between the two lines the runner interprets nothing.
show() {
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  [ ${#token} -eq 32 ] || fail "/dev/urandom cannot be read" "the runner needs it"
  printf '::stop-commands::%s\n' "$token"
  cat "$1"
  printf '\n::%s::\n' "$token"
}

# plain_value INPUT VALUE: a control character could write a second output.
plain_value() {
  case $2 in
    *[[:cntrl:]]*) fail "the input \"$1\" has a control character" "write it in one line" ;;
  esac
}

# truth INPUT VALUE: succeeds for true, fails for false.
truth() {
  case $2 in
    true) return 0 ;;
    false) return 1 ;;
  esac
  fail "the input \"$1\" is \"$2\"" "write true or false"
}
