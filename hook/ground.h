// Ground: what a registration leads to before any event is read: the project's places and its
// policies.
#pragma once

#include "base/result.h"
#include "policy/files/file_view.h"
#include "policy/load/sources.h"
#include "policy/places.h"

namespace ringfence {

struct Ground {
  Places places;
  PolicySources sources;
};

Result<Ground> FindGround(const Registration& registration, const FileView& files);

}  // namespace ringfence
