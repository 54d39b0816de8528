#pragma once

namespace ringfence {

// Base of a class whose objects are neither copied nor moved: others refer to them, or each owns
// something that must be released once.
class NotCopied {
 public:
  NotCopied(const NotCopied&) = delete;
  NotCopied& operator=(const NotCopied&) = delete;

 protected:
  NotCopied() = default;
  ~NotCopied() = default;
};

}  // namespace ringfence
