#!/usr/bin/env bash
# Measures how fast `ringfence replay` reads transcripts (bench/transcripts.py describes them), as a
# report and as a filter, with one and two threads. Prints a Markdown table; asserts nothing.
#
#   bench/replay.sh [--megabytes N] [--runs N] [--ringfence PROGRAM]    default: 1000, 5, build/release
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
megabytes=1000
runs=5
ringfence=$root/build/release/ringfence-cli
while (($# > 0)); do
  case $1 in
    --megabytes) megabytes=${2:?--megabytes needs a number}; shift ;;
    --runs) runs=${2:?--runs needs a number}; shift ;;
    --ringfence) ringfence=${2:?--ringfence needs a program}; shift ;;
    -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "replay.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/project"
for part in agents audit_log base policy hook cli docs tests; do  # transcripts.py names files of these
  cp -r "$root/$part" "$work/project"
done
echo "writing $megabytes MB of transcripts..." >&2
python3 "$root/bench/transcripts.py" "$work/logs" "$megabytes" --project "$work/project"
printf '{"version":1,"write":{"allow":["."],"deny":["docs"]}}' > "$work/other.json"
cat "$work"/logs/*/*.jsonl > "$work/all"
bytes=$(wc -c < "$work/all")

# timed FORM JOBS COMMAND...: one warm-up run, then prints the median of the timed runs.
timed() {
  local form=$1 jobs=$2 run
  shift 2
  : > "$work/times"
  for ((run = 0; run <= runs; ++run)); do
    python3 - "$work/all" "$run" "$@" >> "$work/times" << 'END'
import os, subprocess, sys, time
source, run, *command = sys.argv[1:]
began = time.monotonic()
with open(source) as lines:
    # Started from a separate process, so that the peak is the program's own.
    program = subprocess.Popen(command, stdin=lines, stdout=subprocess.DEVNULL)
    peak = 0
    while program.poll() is None:
        try:
            with open(f"/proc/{program.pid}/status") as status:
                peak = max([peak] + [int(line.split()[1]) for line in status if line.startswith("VmHWM")])
        except OSError:
            pass
        time.sleep(0.02)
if program.returncode not in (0, 1):
    sys.exit(f"{command}: {program.returncode}")
if run != "0":
    print(time.monotonic() - began, peak)
END
  done
  sort -n "$work/times" | awk -v form="$form" -v jobs="$jobs" -v bytes="$bytes" '
    { time[NR] = $1; if ($2 > peak) peak = $2 }
    END {
      median = time[int((NR + 1) / 2)]
      printf "| %s | %d | %.2f | %.2f to %.2f | %.0f | %.1f |\n", form, jobs, median, time[1], time[NR],
        bytes / median / 1e6, peak / 1024
    }'
}

model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "${model:-unknown CPU} ($(nproc) CPUs), $(uname -sr); $((bytes / 1000000)) MB of transcripts with" \
  "$(grep -c '"type":"tool_use"' "$work/all") calls, in the page cache; $runs runs:"
echo
echo "| form | threads | median s | fastest to slowest | MB/s | peak MiB |"
echo "|---|---|---|---|---|---|"
for jobs in 1 2; do
  timed "ringfence replay DIR" "$jobs" "$ringfence" replay "$work/logs" --jobs "$jobs" --home "$work/home"
done
timed "the same, --against OTHER" 2 "$ringfence" replay "$work/logs" --jobs 2 --home "$work/home" \
  --against "$work/other.json"
for jobs in 1 2; do
  timed "ringfence replay - < FILE" "$jobs" "$ringfence" replay - --jobs "$jobs" --home "$work/home"
done
timed "wc -l" 1 wc -l "$work/all"
