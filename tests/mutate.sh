#!/bin/sh
# Mutation tests: changes one line of the sources at a time and reports the changes that no test
# detects.
#
#   tests/mutate.sh --help
exec python3 "$(dirname "$0")/mutate.py" "$@"
