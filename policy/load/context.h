// Context: where a program works and by which policies. Each program determines it once, from its
// command line and environment.
#pragma once

#include <string>

#include "base/result.h"
#include "policy/files/file_view.h"
#include "policy/load/layers.h"
#include "policy/load/sources.h"
#include "policy/places.h"

namespace ringfence {

struct Context {
  Places places;
  PolicySources sources;
  Registration registration;  // by which both were found

  // Returns the policy for one caller. It points into `sources`.
  Result<Policy> PolicyFor(const Caller& caller = {}) const;
};

Result<Context> FindContext(const Registration& registration, const FileView& files);

}  // namespace ringfence
