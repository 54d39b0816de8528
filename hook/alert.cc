#include "hook/alert.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {

Status WriteAlert(const AlertRules& rules, const Places& places, const std::string& text,
                  int64_t unix_nanoseconds) {
  if (rules.inbox.empty()) return Unit{};
  const std::optional<Path> inbox = OwnPath(rules.inbox, places);
  if (!inbox) return Error{Error::Kind::kInvalidConfig, "alerts.inbox", "no home is known", ""};
  std::string json = "{";
  for (const auto& [name, value] : rules.fields) {
    json += JsonString(name) + ":" + JsonString(value) + ",";
  }
  json += "\"text\":" + JsonString(text) + "}\n";
  const std::string name =
      "ringfence-" + std::to_string(unix_nanoseconds) + "-" + std::to_string(::getpid()) + ".json";
  const std::string final_path = inbox->Child(name).text();
  const std::string temporary = inbox->Child("." + name + ".tmp").text();
  const UniqueFd fd(::openat(AT_FDCWD, temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd.valid()) return SystemError("open(" + temporary + ")");
  Status status = WriteAll(fd.get(), json);
  if (status && ::rename(temporary.c_str(), final_path.c_str()) != 0) {
    status = SystemError("rename(" + temporary + ")");
  }
  if (!status) ::unlink(temporary.c_str());  // the folder's reader sees whole files or none
  return status;
}

}  // namespace ringfence
