// The minimal hook: reads its input to the end and prints a fixed answer.
#include <unistd.h>

static char buffer[65536];

int main(void) {
  static const char answer[] =
      "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\","
      "\"permissionDecisionReason\":\"refused\"}}\n";
  ssize_t got;
  do {
    got = read(0, buffer, sizeof buffer);
  } while (got > 0);
  if (got < 0 || write(1, answer, sizeof answer - 1) != sizeof answer - 1) return 2;
  return 0;
}
