#include "library/report.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/json_tree.h"

namespace ringfence::sandbox {
namespace {

// The members of one line; a missing member is empty.
class Line {
 public:
  explicit Line(const JsonTree& tree) : tree_(tree) {}

  std::string Text(std::string_view key) const {
    const JsonTree::Node* node = tree_.Find(tree_.root(), key);
    return node == nullptr ? "" : std::string(node->content());
  }
  uint64_t Number(std::string_view key) const {
    return std::strtoull(Text(key).c_str(), nullptr, 10);
  }
  std::vector<std::string> List(std::string_view key) const {
    std::vector<std::string> texts;
    const JsonTree::Node* list = tree_.Find(tree_.root(), key);
    if (list == nullptr) return texts;
    for (auto at = list->first_child; at != JsonTree::kNone; at = tree_.node(at).next) {
      texts.emplace_back(tree_.node(at).content());
    }
    return texts;
  }

 private:
  const JsonTree& tree_;
};

}  // namespace

void Report::ReadStart() {
  while (!started_ && !failure_ && ReadMore()) {
  }
}

void Report::ReadToEnd() {
  while (ReadMore()) {
  }
}

void Report::HangUp() const noexcept { ::shutdown(socket_.get(), SHUT_WR); }

bool Report::ReadMore() {
  std::array<char, 4096> bytes{};
  ssize_t got = -1;
  do {
    got = ::read(socket_.get(), bytes.data(), bytes.size());
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  text_.append(bytes.data(), static_cast<size_t>(got));
  for (size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
    Take(text_.substr(0, end));
    text_.erase(0, end + 1);
  }
  return true;
}

void Report::Take(std::string line) {
  const ringfence::Result<JsonTree> tree = JsonTree::Parse(std::move(line), "report", false);
  if (!tree) return;
  const Line members(*tree);
  const std::string event = members.Text("event");
  if (event == "started") {
    started_ = true;
    confined_ = members.Text("mode") != "rwx";
    weaker_ = members.List("weaker");
  } else if (event == "warning") {
    end_.warnings.push_back(members.Text("text"));
  } else if (event == "refused") {
    end_.refusals.push_back({members.Text("path"), members.Text("code"), members.Text("why")});
  } else if (event == "failed") {
    failure_ = Error{members.Text("step"), members.Text("call"), members.Text("what"),
                     members.Text("remedy")};
  } else if (event == "ended") {
    ended_ = true;
    end_.status = static_cast<int>(members.Number("status"));
    end_.refusal_count = members.Number("refusals");
    end_.not_run = members.Text("not_run");
  }
}

}  // namespace ringfence::sandbox
