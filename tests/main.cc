#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tests/support/own_session.h"

int main(int argc, char** argv) {
  using namespace ringfence;
  if (IsOwnSession(argc, argv)) return own_session != nullptr ? own_session() : 2;
  return doctest::Context(argc, argv).run();
}
