// What a session has used, in total and for each host, for `ringfence proxy status`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringfence {

class UseCounts {
 public:
  // `target` is a host with its port, from the worker: any text.
  void Granted(const std::string& target);
  // "" if it is not known: the request made no sense.
  void Refused(const std::string& target);
  void Ended(const std::string& target, uint64_t up, uint64_t down);  // bytes

  // The fields of BrokerMessage::kCounts. `open`: the number of open connections.
  std::vector<std::string> Fields(size_t open) const;

 private:
  struct Use {
    uint64_t granted = 0, refused = 0, up = 0, down = 0;
    void AddFields(std::vector<std::string>& fields) const;
  };
  // Counts with the other hosts if as many as `most` are known and `target` is none of them.
  Use& At(const std::string& target, size_t most);

  Use total_;
  std::map<std::string, Use> hosts_;
  Use others_;
};

}  // namespace ringfence
