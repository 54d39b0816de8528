#!/bin/sh
# Changes one line of the sources at a time and reports the changes that no test notices.
#
#   tests/mutate.sh --help
exec python3 "$(dirname "$0")/mutate.py" "$@"
