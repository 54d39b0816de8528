#include "cli/setup/repository_offer.h"

#include <nlohmann/json.hpp>

#include "base/json_edit.h"
#include "base/text.h"
#include "cli/common/console.h"

namespace ringfence {

UserReply AskForRepository(const Path& repository, const std::string& policy, bool is_for_all) {
  Console().Line("This directory is part of the repository " + Quote(repository.text()) +
                 ", and the rest of it is outside the project. \"root\": \"git\" in " +
                 Printable(policy) + " makes the whole repository the project" +
                 (is_for_all ? ", here and in your other projects." : "."));
  return Terminal().Ask("Let the agent work on the whole repository?");
}

Result<std::string> WithRepositoryAsRoot(const std::string& text, const std::string& shown) {
  Result<JsonEdit> edit = JsonEdit::Open(text, shown, true);
  if (!edit) return edit.error();
  if (const JsonEdit::Node* root = edit->At("/root")) {
    edit->Replace(*root, "git");
  } else {
    edit->AddMember(edit->root(), "root", "git");
  }
  return edit->text();
}

}  // namespace ringfence
