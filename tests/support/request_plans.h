// Texts of request plans, for tests and fuzzers.
#pragma once

#include <string>
#include <string_view>

#include "proxy/wire/http_request.h"

namespace ringfence {

inline std::string PlanText(const RequestPlan& plan) {
  std::string text = plan.method + " " + plan.host + " " + std::to_string(plan.port);
  if (plan.kind == RequestPlan::Kind::kForward) text += " " + plan.path;
  if (plan.body.kind == BodyFraming::Kind::kChunked) text += " chunked";
  if (plan.body.kind == BodyFraming::Kind::kLength) text += " " + std::to_string(plan.body.length);
  if (!plan.keep_alive) text += " close";
  if (plan.is_upgrade) text += " upgrade";
  if (plan.expects_continue) text += " continue";
  return text;
}

// Parses and plans a request. False, with an error, if it is refused or incomplete.
inline bool PlanBytes(std::string_view bytes, const RequestSource& source, RequestPlan& plan,
                      WireError& error) {
  RequestHead head;
  if (ParseRequestHead(bytes, head, error) != Progress::kDone) return false;
  return PlanHttpRequest(head, source, plan, error);
}

// The plan as text, or the status and the reason of the refusal.
inline std::string PlannedText(std::string_view bytes, const RequestSource& source = {}) {
  RequestPlan plan;
  WireError error;
  if (PlanBytes(bytes, source, plan, error)) return PlanText(plan);
  return std::to_string(error.status) + " " + error.reason;
}

// True if the host of a forwarded request reads the same request, as this proxy would in its place.
inline bool IsReadAlike(const RequestPlan& plan) {
  if (plan.kind == RequestPlan::Kind::kTunnel) return plan.head.empty();
  RequestPlan again;
  WireError error;
  return PlanBytes(plan.head,
                   {.kind = RequestSource::Kind::kTransparent,
                    .host = plan.host,
                    .port = plan.port,
                    .credential = {}},
                   again, error) &&
         PlanText(again) == PlanText(plan) && again.head == plan.head && again.body == plan.body;
}

}  // namespace ringfence
