#!/bin/sh
# Builds and installs ringfence, or installs a package of it, or removes it. Safe to run again.
#
#   ./install.sh [OPTIONS] [PROJECT_DIR]
#
#   PROJECT_DIR        register the hook for this project (in its .claude/settings.local.json)
#   --prefix DIR       install to DIR (default: ~/.local)
#   --from FILE        install this .deb, .rpm or .tar.gz of ringfence instead of building
#   --no-deps          do not install packages
#   --no-register      do not register the hook, even if PROJECT_DIR is given
#   --glibc            link the hook with glibc, even if musl is installed
#   --only-deps        install packages and stop
#   --with-tests       also install the packages that tests/run.sh needs
#   --uninstall        unregister the hook everywhere and remove the installed files; policies and
#                      logs are kept
set -eu

root=$(cd "$(dirname "$0")" && pwd)
prefix=${HOME:?HOME is not set}/.local
prefix_is_given=no
project=
deps=yes
register=yes
musl=ON
only_deps=no
with_tests=no
uninstall=no
package=

say() { printf '%s\n' "install.sh: $*"; }

fail() {
  printf '%s\n' "install.sh: error: $1" >&2
  if [ $# -gt 1 ]; then printf '%s\n' "  Hint: $2" >&2; fi
  exit 1
}

usage() { sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0"; }

read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix)
        [ $# -gt 1 ] || fail "--prefix needs a directory"
        prefix=$2 prefix_is_given=yes
        shift
        ;;
      --prefix=*) prefix=${1#--prefix=} prefix_is_given=yes ;;
      --from)
        [ -n "${2-}" ] || fail "--from needs a file"
        package=$2
        shift
        ;;
      --from=)
        fail "--from needs a file"
        ;;
      --from=*) package=${1#--from=} ;;
      --no-deps) deps=no ;;
      --no-register) register=no ;;
      --glibc) musl=OFF ;;
      --only-deps) only_deps=yes ;;
      --with-tests) with_tests=yes ;;
      --uninstall) uninstall=yes ;;
      -h | --help)
        usage
        exit 0
        ;;
      -*) fail "\"$1\" is not an option" "./install.sh --help lists them" ;;
      *)
        [ -z "$project" ] || fail "two projects given: \"$project\" and \"$1\"" "name one of them"
        [ -d "$1" ] || fail "\"$1\" is not a directory"
        project=$(cd "$1" && pwd)
        ;;
    esac
    shift
  done
  case $prefix in
    "") fail "--prefix is empty" ;;
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
  esac
  if [ -n "$package" ] && [ ! -f "$package" ]; then fail "\"$package\" is not a file"; fi
  case $package in
    *.deb | *.rpm)
      [ "$prefix_is_given" = no ] || fail "a .deb and an .rpm install to /usr" "leave --prefix out, or use the .tar.gz"
      prefix=/usr
      ;;
    "" | *.tar.gz) ;;
    *) fail "\"$package\" is not a package of ringfence" "name a .deb, an .rpm or a .tar.gz" ;;
  esac
  if [ "$uninstall" = yes ] && [ -n "$project" ]; then
    fail "--uninstall takes no project" "it unregisters every project; for one: ringfence uninstall --local \"$project\""
  fi
}

# Packages. An entry is NAME, NAME|OTHER-NAME, or NAME=COMMAND: if COMMAND is found, nothing is
# installed. A missing optional package is reported, but is not an error.

list_packages() {
  case $1 in
    apt)
      required='g++=g++ cmake=cmake ninja-build=ninja nlohmann-json3-dev libcli11-dev libmd-dev libgit2-dev'
      required="$required libseccomp-dev libboost1.81-dev|libboost1.83-dev|libboost-dev"
      optional='musl-tools=musl-gcc'
      required_tests='doctest-dev python3=python3 python3-pytest python3-pytest-xdist clang=clang++'
      required_tests="$required_tests libclang-rt-dev|libclang-rt-14-dev"
      optional_tests='clang-tidy=clang-tidy clang-format=clang-format llvm=llvm-cov strace=strace'
      optional_tests="$optional_tests bubblewrap=bwrap socat=socat npm=npm python3-jsonschema"
      optional_tests="$optional_tests pkg-config=pkg-config make=make apparmor=apparmor_parser"
      optional_tests="$optional_tests git=git cargo=/usr/bin/cargo python3-pip tmux=tmux less=less"
      optional_tests="$optional_tests vim-tiny=vi zsh=zsh fish=fish pre-commit=pre-commit chromium=chromium"
      optional_tests="$optional_tests nodejs=node libxml2-utils=xmllint parallel=parallel"
      optional_tests="$optional_tests rsyslog=/usr/sbin/rsyslogd lld=ld.lld ccache=ccache"
      optional_tests="$optional_tests qemu-system-x86=qemu-system-x86_64 busybox-static=busybox cpio=cpio"
      optional_tests="$optional_tests g++-aarch64-linux-gnu=aarch64-linux-gnu-g++ qemu-user-static=qemu-aarch64-static"
      optional_tests="$optional_tests qemu-system-arm=qemu-system-aarch64"
      optional_tests="$optional_tests e2fsprogs=mke2fs iproute2=ip openssl=openssl curl=curl procps=pkill"
      # Servers and clients for the egress proxy.
      optional_tests="$optional_tests nginx=/usr/sbin/nginx openssh-server=/usr/sbin/sshd openssh-client=ssh"
      optional_tests="$optional_tests postgresql default-jdk-headless=javac python3-websockets"
      # Packages of ringfence.
      optional_tests="$optional_tests rpm=rpmbuild lintian=lintian debootstrap=debootstrap"
      # The GitHub Action and its scripts.
      optional_tests="$optional_tests python3-yaml shellcheck=shellcheck"
      ;;
    dnf)
      required='gcc-c++=g++ cmake=cmake ninja-build=ninja json-devel cli11-devel libmd-devel libgit2-devel'
      required="$required glibc-static libstdc++-static libseccomp-devel boost-devel"
      optional='musl-gcc=musl-gcc'
      required_tests='doctest-devel python3=python3 python3-pytest python3-pytest-xdist clang=clang++'
      required_tests="$required_tests compiler-rt"
      optional_tests='clang-tools-extra=clang-tidy llvm=llvm-cov strace=strace'
      optional_tests="$optional_tests bubblewrap=bwrap socat=socat npm=npm python3-jsonschema"
      optional_tests="$optional_tests git=git cargo=/usr/bin/cargo python3-pip tmux=tmux less=less"
      optional_tests="$optional_tests vim-minimal=vi zsh=zsh fish=fish chromium=chromium-browser libxml2=xmllint"
      optional_tests="$optional_tests parallel=parallel rsyslog=rsyslogd ccache=ccache"
      optional_tests="$optional_tests nginx=nginx openssh-server=/usr/sbin/sshd openssh-clients=ssh"
      optional_tests="$optional_tests postgresql-server=/usr/bin/postgres java-devel=javac python3-websockets"
      optional_tests="$optional_tests python3-pyyaml ShellCheck=shellcheck"
      ;;
    brew)
      required='cmake=cmake ninja=ninja nlohmann-json cli11 libmd libgit2'
      optional=
      required_tests='doctest python3=python3 pytest'
      optional_tests='llvm clang-format=clang-format socat=socat node=npm python-jsonschema parallel=parallel'
      ;;
  esac
  if [ "$with_tests" = yes ]; then
    required="$required $required_tests"
    optional="$optional $optional_tests"
  fi
}

find_manager() {
  for manager in apt-get dnf brew; do
    if command -v "$manager" > /dev/null; then
      printf '%s\n' "${manager%-get}"
      return
    fi
  done
}

is_installed() {  # MANAGER NAME
  case $1 in
    apt) [ "$(dpkg-query -W -f '${db:Status-Status}' "$2" 2> /dev/null)" = installed ] ;;
    dnf) rpm -q --quiet "$2" ;;
    brew) brew list --formula "$2" > /dev/null 2>&1 ;;
  esac
}

is_offered() {  # MANAGER NAME
  case $1 in
    apt) apt-cache show "$2" > /dev/null 2>&1 ;;
    dnf) dnf -q list --available "$2" > /dev/null 2>&1 ;;
    brew) brew info "$2" > /dev/null 2>&1 ;;
  esac
}

# True if the entry needs no installation.
is_there() {  # MANAGER ENTRY
  case $2 in
    *=*) if command -v "${2#*=}" > /dev/null; then return 0; fi ;;
  esac
  for name in $(printf '%s\n' "${2%%=*}" | tr '|' ' '); do
    if is_installed "$1" "$name"; then return 0; fi
  done
  return 1
}

# The version of Boost that libboost-dev would install is 1.81 or later.
check_boost() {  # NAMES
  case " $1 " in
    *' libboost-dev '*) ;;
    *) return 0 ;;
  esac
  version=$(apt-cache policy libboost-dev | sed -n 's/^ *Candidate: *//p')
  dpkg --compare-versions "$version" ge 1.81 ||
    fail "this distribution has Boost $version, and ringfence needs 1.81 or later" \
      "install a later Boost by hand, then run ./install.sh --no-deps"
}

# The first available name of an entry, or its last name.
name_of() {  # MANAGER ENTRY
  case $2 in
    *'|'*) ;;
    *)  # only one name
      printf '%s\n' "${2%%=*}"
      return
      ;;
  esac
  for name in $(printf '%s\n' "${2%%=*}" | tr '|' ' '); do
    if is_offered "$1" "$name"; then break; fi
  done
  printf '%s\n' "$name"
}

plain_names() {  # ENTRY...
  printf '%s\n' "$*" | sed 's/[|=][^ ]*//g'
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    return 127
  fi
}

run_manager() {  # MANAGER NAME...
  manager=$1
  shift
  case $manager in
    apt) as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" ;;
    dnf) as_root dnf install -y "$@" ;;
    brew) brew install "$@" ;;
  esac
}

missing_of() {  # MANAGER ENTRY...
  manager=$1
  shift
  for entry in "$@"; do
    if ! is_there "$manager" "$entry"; then printf '%s\n' "$entry"; fi
  done
}

# Installs all at once, which is much faster; if that fails, one by one, so that the error names the
# package.
install_all() {  # MANAGER IS_REQUIRED NAME...
  manager=$1
  is_required=$2
  shift 2
  if [ $# -eq 0 ] || run_manager "$manager" "$@"; then return; fi
  for name in "$@"; do
    if run_manager "$manager" "$name"; then continue; fi
    if [ "$is_required" = yes ]; then
      fail "the package $name could not be installed" \
        "install it by hand, then run ./install.sh --no-deps"
    fi
    say "could not install the optional package $name; continuing without it"
  done
}

install_packages() {
  manager=$(find_manager)
  if [ -z "$manager" ]; then
    fail "found neither apt-get, dnf nor brew" \
      "install a C++20 compiler, CMake 3.25, Ninja, nlohmann_json, CLI11, libmd, libseccomp and Boost 1.81, then run ./install.sh --no-deps"
  fi
  list_packages "$manager"
  # The lists are split into words on purpose, here and below.
  # shellcheck disable=SC2086
  missing=$(missing_of "$manager" $required) wanted=$(missing_of "$manager" $optional)
  if [ -z "$missing$wanted" ]; then
    say "all packages are installed"
    return
  fi
  # shellcheck disable=SC2086
  say "packages to install with $manager: $(plain_names $missing $wanted)"
  if [ "$manager" != brew ] && [ "$(id -u)" -ne 0 ] && ! command -v sudo > /dev/null; then
    [ -n "$missing" ] || return 0
    # shellcheck disable=SC2086
    fail "not root, and sudo is not installed: cannot install $(plain_names $missing)" \
      "install them as root, then run ./install.sh --no-deps"
  fi
  if [ "$manager" = apt ] && ! as_root apt-get update -q; then
    say "apt-get update failed; continuing with the existing package lists"
  fi
  names=
  for entry in $missing; do names="$names $(name_of "$manager" "$entry")"; done
  if [ "$manager" = apt ]; then check_boost "$names"; fi
  # shellcheck disable=SC2086
  install_all "$manager" yes $names
  names=
  for entry in $wanted; do names="$names $(name_of "$manager" "$entry")"; done
  # shellcheck disable=SC2086
  install_all "$manager" no $names
}

# cmake reports at length that a cache belongs to another directory, but not what to do about it.
configure_hint() {
  cache=$root/build/release/CMakeCache.txt
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(cd "$root" && pwd -P)" "$cache"; then
    printf '%s\n' "build/release was made in another directory; remove it: rm -rf \"$root/build/release\""
  else
    printf '%s\n' "the lines above say what is missing"
  fi
}

build() {
  command -v cmake > /dev/null || fail "cmake is not installed" "run ./install.sh without --no-deps"
  say "building the release (build/release); this takes about two minutes on two processors"
  cd "$root"
  cmake --preset release --log-level=NOTICE "-DRINGFENCE_MUSL=$musl" "-DCMAKE_INSTALL_PREFIX=$prefix" ||
    fail "the build could not be configured" "$(configure_hint)"
  # On a terminal, ninja keeps this in one line.
  NINJA_STATUS='install.sh: %f of %t steps, %e s: ' cmake --build --preset release || fail "the build failed"
}

# The hint for a package manager that failed.
manager_hint() {
  if [ "$(id -u)" -eq 0 ] || command -v sudo > /dev/null; then
    printf '%s\n' "the lines above say why; if the file is damaged, download it again"
  else
    printf '%s\n' "run it as root, or with sudo installed"
  fi
}

# Installs a package file with the system's package manager, or the programs of a tarball.
install_package() {
  case $package in
    */*) file=$package ;;
    *) file=./$package ;;  # apt takes anything else for the name of a package
  esac
  case $package in
    *.deb)
      command -v apt-get > /dev/null || fail "this system has no apt-get, which installs a .deb" "use the .rpm or the .tar.gz"
      as_root apt-get install -y "$file" || fail "\"$package\" could not be installed" "$(manager_hint)"
      ;;
    *.rpm)
      command -v dnf > /dev/null || fail "this system has no dnf, which installs an .rpm" "use the .deb or the .tar.gz"
      as_root dnf install -y "$file" || fail "\"$package\" could not be installed" "$(manager_hint)"
      ;;
    *)
      place=$(mktemp -d)
      trap 'rm -rf "$place"' EXIT
      tar -xzf "$file" -C "$place" || fail "\"$package\" could not be unpacked" "download it again"
      set -- "$place"/*/bin/ringfence
      [ -f "$1" ] || fail "\"$package\" is not a package of ringfence" "name a .deb, an .rpm or a .tar.gz"
      [ -x "$1" ] ||
        fail "no program can be started in the directory for temporary files, \"${TMPDIR:-/tmp}\"" \
          "name another one: TMPDIR=\"\$HOME\" ./install.sh --from ..."
      "$1" --version > /dev/null 2>&1 ||
        fail "the programs in \"$package\" do not run on this machine" \
          "name the file for its processor, $(uname -m); if that is the one, download it again"
      "$1" install --prefix "$prefix" || fail "\"$package\" could not be installed"
      rm -rf "$place"
      ;;
  esac
}

install_files() {
  say "installing to $prefix"
  cmake --install build/release --prefix "$prefix" ||
    fail "could not install to \"$prefix\"" "name a directory that you can write: --prefix DIR"
}

# The argument as a word of a shell command.
shell_word() {
  case $1 in
    *[!A-Za-z0-9/._-]*) printf "'%s'\n" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s\n' "$1" ;;
  esac
}

register_hook() {
  if [ "$register" = no ] || [ -z "$project" ]; then
    command="$(shell_word "$prefix/bin/ringfence") init"
    if is_registered; then
      say "the hook is registered; after an upgrade, run this with the same options as the first time: $command"
    else
      say "the hook is not registered yet; to register it for all projects: $command"
    fi
    return
  fi
  say "registering the hook for $project"
  "$prefix/bin/ringfence" init --local "$project" ||
    fail "the hook could not be registered for \"$project\""
}

profile=/etc/apparmor.d/ringfence

offer_profile() {
  setting=/proc/sys/kernel/apparmor_restrict_unprivileged_userns
  if [ -e "$profile" ] || ! grep -qsx 1 "$setting"; then return; fi
  say "on this system a program needs an AppArmor profile to create user namespaces, and ringfence run creates them"
  say "to write the profile: sudo sh \"$prefix/share/ringfence/apparmor.sh\""
}

# Removal. The hook is unregistered first: a registration whose program is gone blocks every call.

# The ringfence that unregisters: the installed one, or the one built in this clone.
find_ringfence() {
  for program in "$prefix/bin/ringfence" "$root/build/release/ringfence"; do
    if [ -x "$program" ] && "$program" --version > /dev/null 2>&1; then
      printf '%s\n' "$program"
      return
    fi
  done
}

# True if the settings, or init's record of them, name the hook of this prefix.
is_registered() {
  for file in "$HOME/.claude/settings.json" "$HOME/.local/state/ringfence/registrations.json" \
    /etc/claude-code/managed-settings.json; do
    if grep -qsF "$prefix/bin/ringfence-hook" "$file"; then return 0; fi
  done
  return 1
}

# The prefix of a hook that is registered and still installed elsewhere.
other_prefix() {
  for file in "$HOME/.local/state/ringfence/registrations.json" "$HOME/.claude/settings.json" \
    /etc/claude-code/managed-settings.json; do
    [ -r "$file" ] || continue
    sed -n 's#.*"[a-z]*": *"\(/[^"\\]*\)/bin/ringfence-hook".*#\1#p' "$file"
  done | while IFS= read -r other; do
    if [ "$other" != "$prefix" ]; then
      printf '%s\n' "$other"
      break
    fi
  done
}

unregister() {
  is_registered || return 0
  program=$(find_ringfence)
  if [ -z "$program" ]; then
    fail "the hook is registered, and no ringfence program is left to unregister it; nothing was removed" \
      "install it again first: ./install.sh --prefix \"$prefix\""
  fi
  "$program" uninstall --all ||
    fail "the hook could not be unregistered; nothing was removed" "fix what the line above names, then run this again"
}

# Removes the directories of the file, up to the prefix, while they are empty.
remove_empty_folders() {  # FILE
  folder=$(dirname "$1")
  while [ "$folder" != "$prefix" ] && rmdir "$folder" 2> /dev/null; do
    folder=$(dirname "$folder")
  done
}

# Every line of the list of installed files (cmake/installed_files.cmake) is a digest and a plain path below the prefix.
check_list() {
  if grep -qvE '^[0-9a-f]{64}  [^/]' "$file_list" || grep -qE '(  |/)\.\.(/|$)' "$file_list"; then
    fail "$file_list is damaged; nothing was removed" "install it again first: ./install.sh --prefix \"$prefix\""
  fi
}

digest_of() {  # FILE
  if command -v sha256sum > /dev/null; then sha256sum; else shasum -a 256; fi < "$1" | cut -c 1-64
}

# True if the file is the one that was installed. A program counts even if it is damaged, which is
# why it does not remove itself.
is_ours() {  # DIGEST FILE
  case ${2#"$prefix/"} in
    bin/ringfence | bin/ringfence-*) return 0 ;;
  esac
  [ ! -L "$2" ] && [ "$(digest_of "$2")" = "$1" ]
}

# Removes what `ringfence uninstall --programs` would remove, if that does not run.
remove_files() {
  check_list
  count=0
  while IFS= read -r line; do
    file=$prefix/${line#*  }
    if [ ! -f "$file" ] && [ ! -L "$file" ]; then continue; fi
    if is_ours "${line%%  *}" "$file"; then
      rm -f "$file" || fail "could not remove \"$file\"" "run it as the user who installed ringfence"
      remove_empty_folders "$file"
      count=$((count + 1))
    else
      say "kept: $file, which was changed since it was installed"
    fi
  done < "$file_list"
  rm -f "$file_list"
  remove_empty_folders "$file_list"
  say "removed $count files from $prefix"
}

say_nothing_is_installed() {
  other=$(other_prefix)
  if [ -n "$other" ] && [ "$prefix_is_given" = no ]; then
    fail "ringfence is not installed in $prefix, but $other/bin/ringfence-hook is registered; nothing was removed" \
      "remove that one: ./install.sh --uninstall --prefix \"$other\""
  fi
  say "ringfence is not installed in $prefix; nothing to remove"
}

# What ringfence uninstall --programs says itself.
say_folders_are_kept() {
  for folder in "$HOME/.config/ringfence" "$HOME/.local/state/ringfence"; do
    if [ -d "$folder" ]; then say "kept: $folder (policies, trust, logs); delete it if you do not need it"; fi
  done
}

say_what_else_is_kept() {
  say "kept: .ringfence in your projects, and the packages that were installed"
  if grep -qsF "$prefix/bin/ringfence" "$profile"; then
    say "$profile still names $prefix; to remove it: sudo sh \"$root/packaging/apparmor.sh\" --remove --prefix \"$prefix\""
  fi
}

# True if the installed program can remove itself.
can_remove_itself() {
  "$prefix/bin/ringfence" uninstall --help 2> /dev/null | grep -q -e --programs
}

uninstall() {
  file_list=$prefix/share/ringfence/files.sha256
  if [ ! -f "$file_list" ]; then
    for file in "$prefix"/bin/ringfence*; do
      [ -f "$file" ] || continue
      case $prefix in
        /usr | /usr/)
          fail "a package manager installed ringfence in /usr; nothing was removed" \
            "run ringfence uninstall --all as each user, then remove the package: apt remove ringfence, or dnf remove ringfence"
          ;;
      esac
      fail "$file_list does not exist, so the files to remove are not known; nothing was removed" \
        "install it again first: ./install.sh --prefix \"$prefix\""
    done
    say_nothing_is_installed
    say_folders_are_kept
  elif can_remove_itself && { is_registered || [ -z "$(other_prefix)" ]; }; then
    "$prefix/bin/ringfence" uninstall --all --programs ||
      fail "ringfence could not be uninstalled" "fix what the line above names, then run this again"
  else
    # The programs are damaged, or another installation is registered, and stays so.
    unregister
    remove_files
    say_folders_are_kept
  fi
  say_what_else_is_kept
}

# Sends one event that every policy must deny, with a separate home directory.
show_decision() {
  place=$(mktemp -d)
  trap 'rm -rf "$place"' EXIT
  mkdir "$place/home" "$place/project"
  event='{"hook_event_name":"PreToolUse","session_id":"install","cwd":"'$place/project'",'
  event=$event'"tool_name":"Write","tool_input":{"file_path":"/etc/hosts","content":"x"}}'
  answer=$(printf '%s\n' "$event" | HOME=$place/home CLAUDE_PROJECT_DIR=$place/project \
    "$prefix/bin/ringfence-hook") || fail "the installed hook does not work"
  say "what the hook answers to a Write to /etc/hosts:"
  printf '%s\n' "$answer"
  case $answer in
    *'"permissionDecision":"deny"'*) ;;
    *) fail "the installed hook did not deny the call" ;;
  esac
}

read_options "$@"
if [ "$uninstall" = yes ]; then
  uninstall
  exit 0
fi
if [ -n "$package" ]; then
  install_package
else
  if [ "$deps" = yes ]; then install_packages; fi
  if [ "$only_deps" = yes ]; then exit 0; fi
  build
  install_files
fi
register_hook
show_decision
offer_profile
case :${PATH-}: in
  *":$prefix/bin:"*) ;;
  *) say "to run \"ringfence\" without its path, add $prefix/bin to PATH" ;;
esac
say "done"
