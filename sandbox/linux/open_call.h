// open(2) and its variants, carried out on behalf of the caller.
#pragma once

#include <string>

#include "sandbox/linux/supervised_calls.h"

namespace ringfence {

struct OpenRequest {
  int fd = 0;
  std::string text;
  int flags = 0;
  mode_t mode = 0;
};

void AnswerOpen(const SupervisedCaller& caller, const seccomp_notif& call, Supervision& supervision,
                OpenRequest request);

}  // namespace ringfence
