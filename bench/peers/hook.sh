#!/usr/bin/env bash
# The project boundary as a script: denies a path that leads out of the project.
set -euo pipefail
IFS=$'\t' read -r cwd path < <(jq -r '[.cwd,
  (.tool_input | .file_path // .notebook_path // .path // "")] | @tsv')
[[ -n $path ]] || exit 0
root=$(realpath "$CLAUDE_PROJECT_DIR")
case $path in
  \~ | \~/*) path=$HOME${path#"~"} ;;
  /*) ;;
  *) path=$cwd/$path ;;
esac
path=$(realpath -m "$path")
if [[ $path != "$root" && $path != "$root"/* ]]; then
  jq -cn --arg reason "$path is outside of $root" '{hookSpecificOutput: {
    hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: $reason}}'
fi
