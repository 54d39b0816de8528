#!/bin/sh
# Permits `ringfence run` to create user namespaces where AppArmor denies them to programs without a
# profile, as on Ubuntu. Run it as root.
#
#   sh apparmor.sh [OPTIONS]     write /etc/apparmor.d/ringfence and load it
#
#   --prefix DIR   the directory with bin/ringfence (default: the one that this script is installed in)
#   --if-needed    do nothing on a system without this restriction
#   --remove       unload and remove the profile instead
#
# With DESTDIR, which is for packagers, the profile is neither tested nor loaded.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
prefix=${here%/share/ringfence}
action="write"
folder=${DESTDIR-}/etc/apparmor.d
profile=$folder/ringfence

say() { printf '%s\n' "apparmor.sh: $*"; }

fail() {
  printf '%s\n' "apparmor.sh: error: $1" "  Hint: $2" >&2
  exit 1
}

read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix)
        [ $# -gt 1 ] || fail "--prefix needs a directory" "sh apparmor.sh --help lists the options"
        prefix=$2
        shift
        ;;
      --if-needed) action=write_if_needed ;;
      --remove) action=remove ;;
      -h | --help)
        sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
      *) fail "\"$1\" is not an option" "sh apparmor.sh --help lists them" ;;
    esac
    shift
  done
}

print_profile() {
  cat << END
# Written by ringfence's apparmor.sh. Ubuntu denies user namespaces to programs without a profile
# (kernel.apparmor_restrict_unprivileged_userns); this one permits them for ringfence and restricts
# nothing.
abi <abi/4.0>,
include <tunables/global>

profile ringfence $prefix/bin/ringfence{,-cli} flags=(unconfined) {
  userns,
  include if exists <local/ringfence>
}
END
}

# The file can belong to another installation of ringfence.
names_this_one() { grep -qsF " $prefix/bin/ringfence{" "$profile"; }

is_accepted() { apparmor_parser -Q -K "$place"; }

# Renamed into place, since AppArmor loads every file in the directory.
put() {
  install -m 644 "$place" "$folder/.ringfence.new" && mv -f "$folder/.ringfence.new" "$profile"
}

make_profile() {
  place=$(mktemp)
  trap 'rm -f "$place"' EXIT
  print_profile > "$place"
}

write() {
  # Some characters in paths are special to AppArmor.
  case $prefix in
    /*) ;;
    *) fail "\"$prefix\" is not an absolute path" "name the directory that has bin/ringfence: --prefix DIR" ;;
  esac
  case $prefix in
    *[!A-Za-z0-9/._-]*) fail "an AppArmor profile cannot name \"$prefix\"" "install ringfence elsewhere" ;;
  esac
  [ -d "$folder" ] || fail "\"$folder\" does not exist" "AppArmor is not installed on this system"
  make_profile
  if [ -z "${DESTDIR-}" ]; then
    command -v apparmor_parser > /dev/null || fail "apparmor_parser is not installed" "install the package apparmor"
    is_accepted || fail "this version of AppArmor rejects the profile; nothing was written" \
      "before version 4 AppArmor does not restrict user namespaces, and no profile is needed"
  fi
  say "writing $profile:"
  cat "$place"
  put || fail "could not write \"$profile\"" "run this as root"
  if [ -z "${DESTDIR-}" ]; then
    apparmor_parser -r -W "$profile" || fail "the profile is written, but could not be loaded" "run this as root"
  fi
  say "anyone who can write $prefix/bin/ringfence can now create user namespaces with it; --remove undoes this"
}

# For packages, which must be installed whatever the system has.
write_if_needed() {
  [ -e /proc/sys/kernel/apparmor_restrict_unprivileged_userns ] || return 0
  [ -d "$folder" ] && command -v apparmor_parser > /dev/null || return 0
  if [ -e "$profile" ] && ! names_this_one; then
    say "$profile is for another installation of ringfence, and stays; to replace it: sh $here/apparmor.sh"
    return
  fi
  make_profile
  is_accepted > /dev/null 2>&1 || return 0
  put
  apparmor_parser -r -W "$profile" || say "the AppArmor profile takes effect at the next start" >&2
}

remove() {
  if [ ! -e "$profile" ]; then
    say "$profile does not exist"
    return
  fi
  if ! names_this_one; then
    say "$profile is for another installation of ringfence, and stays"
    return
  fi
  if [ -z "${DESTDIR-}" ] && command -v apparmor_parser > /dev/null; then
    apparmor_parser -R "$profile" || say "the profile was not loaded"
  fi
  rm -f "$profile" || fail "could not remove \"$profile\"" "run this as root"
  say "removed $profile"
}

read_options "$@"
"$action"
