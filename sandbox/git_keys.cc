#include "sandbox/git_keys.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ringfence {
namespace {

struct KnownKey {
  std::string_view section, key;
  GitValueKind kind;
};

// From git-config(1). Matches with any subsection or none. "" matches any key.
constexpr KnownKey kKnown[] = {
    {"include", "path", GitValueKind::kInclude},
    {"includeif", "path", GitValueKind::kInclude},
    {"core", "hookspath", GitValueKind::kPath},
    {"core", "attributesfile", GitValueKind::kPath},
    {"core", "excludesfile", GitValueKind::kPath},
    {"init", "templatedir", GitValueKind::kPath},
    {"core", "sshcommand", GitValueKind::kCommand},
    {"core", "fsmonitor", GitValueKind::kCommand},
    {"core", "editor", GitValueKind::kCommand},
    {"core", "pager", GitValueKind::kCommand},
    {"core", "askpass", GitValueKind::kCommand},
    {"core", "gitproxy", GitValueKind::kCommand},
    {"core", "alternaterefscommand", GitValueKind::kCommand},
    {"sequence", "editor", GitValueKind::kCommand},
    {"interactive", "difffilter", GitValueKind::kCommand},
    {"uploadpack", "packobjectshook", GitValueKind::kCommand},
    {"diff", "external", GitValueKind::kCommand},
    {"diff", "command", GitValueKind::kCommand},
    {"diff", "textconv", GitValueKind::kCommand},
    {"filter", "clean", GitValueKind::kCommand},
    {"filter", "smudge", GitValueKind::kCommand},
    {"filter", "process", GitValueKind::kCommand},
    {"merge", "driver", GitValueKind::kCommand},
    {"credential", "helper", GitValueKind::kCommand},
    {"gpg", "program", GitValueKind::kCommand},
    {"gpg", "defaultkeycommand", GitValueKind::kCommand},
    {"mergetool", "cmd", GitValueKind::kCommand},
    {"mergetool", "path", GitValueKind::kCommand},
    {"difftool", "cmd", GitValueKind::kCommand},
    {"difftool", "path", GitValueKind::kCommand},
    {"guitool", "cmd", GitValueKind::kCommand},
    {"browser", "cmd", GitValueKind::kCommand},
    {"browser", "path", GitValueKind::kCommand},
    {"man", "cmd", GitValueKind::kCommand},
    {"man", "path", GitValueKind::kCommand},
    {"trailer", "cmd", GitValueKind::kCommand},
    {"trailer", "command", GitValueKind::kCommand},
    {"tar", "command", GitValueKind::kCommand},
    {"hook", "command", GitValueKind::kCommand},
    {"submodule", "update", GitValueKind::kCommand},
    {"remote", "uploadpack", GitValueKind::kCommand},
    {"remote", "receivepack", GitValueKind::kCommand},
    {"sendemail", "smtpserver", GitValueKind::kCommand},
    {"sendemail", "sendmailcmd", GitValueKind::kCommand},
    {"sendemail", "tocmd", GitValueKind::kCommand},
    {"sendemail", "cccmd", GitValueKind::kCommand},
    {"sendemail", "headercmd", GitValueKind::kCommand},
    {"imap", "tunnel", GitValueKind::kCommand},
    {"gc", "recentobjectshook", GitValueKind::kCommand},
    {"instaweb", "httpd", GitValueKind::kCommand},
    {"web", "browser", GitValueKind::kCommand},
    {"lfs", "path", GitValueKind::kCommand},    // lfs.customtransfer.NAME.path
    {"lfs", "clean", GitValueKind::kCommand},   // lfs.extension.NAME.clean
    {"lfs", "smudge", GitValueKind::kCommand},  // lfs.extension.NAME.smudge
    {"gpg", "allowedsignersfile", GitValueKind::kPath},
    {"pager", "", GitValueKind::kCommand},
    {"alias", "", GitValueKind::kCommand},
};

}  // namespace

GitValueKind KindOfValue(const GitVariable& variable) {
  const auto* known = std::ranges::find_if(kKnown, [&](const KnownKey& key) {
    return key.section == variable.section && (key.key.empty() || key.key == variable.key);
  });
  if (known == std::end(kKnown)) return GitValueKind::kOther;
  // Without "!", an alias names one of git's own commands.
  if (variable.section == "alias" && !variable.value.starts_with('!')) return GitValueKind::kOther;
  return known->kind;
}

}  // namespace ringfence
