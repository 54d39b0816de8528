#include "policy/files/resolve.h"

#include <algorithm>

#include "base/short_name.h"

namespace ringfence {
namespace {

constexpr size_t kMaxShortNameFolder = 10'000;  // entries of a directory that contains a short name

class Walker {
 public:
  Walker(std::string_view text, const FileView& files, const NameGuard* guard)
      : rest_(text), own_(text.size()), files_(files), guard_(guard) {
    walked_.facts.kind = FileKind::kDirectory;  // "/"
  }

  Walked Run() {
    if (rest_.size() > kMaxPathBytes) {
      walked_.stop = Walked::Stop::kTooLong;
      return Ended();
    }
    for (;;) {
      std::string_view rest = rest_;
      const std::string_view component = TakeComponent(rest);
      if (component.empty()) return Ended();
      const std::string name(component);
      const bool is_own = rest_.size() <= own_;
      rest_.erase(0, rest_.size() - rest.size());
      own_ = std::min(own_, rest_.size());
      if (name == ".") continue;
      const Path directory = walked_.end;
      if (!(name == ".." ? StepUp() : StepInto(name))) return Ended();
      if (is_own) walked_.entry = name == ".." ? walked_.end : directory.Child(name);
    }
  }

 private:
  Walked Ended() {
    walked_.rest = std::move(rest_);
    return std::move(walked_);
  }

  bool Stop(Walked::Stop stop) {
    walked_.stop = stop;
    return false;
  }

  bool StepUp() {
    walked_.end = walked_.end.Parent();
    if (dead_end_ && !walked_.end.IsInside(*dead_end_)) dead_end_.reset();
    return Look(walked_.end);
  }

  bool StepInto(const std::string& name) {
    if (name.size() > kMaxNameBytes) return Stop(Walked::Stop::kTooLong);
    const Path directory = walked_.end;
    const Path next = directory.Child(name);
    if (next.text().size() > kMaxPathBytes) return Stop(Walked::Stop::kTooLong);
    walked_.end = next;
    if (guard_ != nullptr && guard_->Refuses(next)) return Stop(Walked::Stop::kRefused);
    if (!Look(next)) return false;
    if (MayBeShortName(name) && !UseLongName(directory, name)) return false;
    if (walked_.facts.kind != FileKind::kLink) {
      walked_.steps.push_back({walked_.end, walked_.facts.kind, ""});
      if (walked_.facts.kind != FileKind::kDirectory && !dead_end_) dead_end_ = walked_.end;
      return true;
    }
    return Follow(directory, walked_.end);
  }

  // Replaces a short name by the long one, because rules use the names that listings show.
  bool UseLongName(const Path& directory, const std::string& name) {
    if (walked_.facts.kind == FileKind::kMissing) return true;
    const auto entries = files_.List(directory, kMaxShortNameFolder);
    if (!entries) return Unreadable(entries.error());
    for (const DirectoryEntry& entry : *entries) {
      if (entry.name == name) continue;
      const Path other = directory.Child(entry.name);
      const Result<FileFacts> facts = files_.Look(other);
      if (!facts) return Unreadable(facts.error());  // it may be the long name
      if (facts->inode != walked_.facts.inode || facts->device != walked_.facts.device) continue;
      walked_.steps.push_back({walked_.end, FileKind::kLink, entry.name});
      walked_.end = other;
      if (guard_ != nullptr && guard_->Refuses(other)) return Stop(Walked::Stop::kRefused);
      return true;
    }
    return true;
  }

  bool Follow(const Path& directory, const Path& link) {
    if (walked_.links.size() >= kMaxLinks) return Stop(Walked::Stop::kLoop);
    Result<std::string> target = files_.ReadLink(link);
    if (!target) return Unreadable(target.error());
    walked_.links.push_back(link);
    walked_.steps.push_back({link, FileKind::kLink, *target});
    if (target->size() + rest_.size() > kMaxPathBytes) return Stop(Walked::Stop::kTooLong);
    walked_.end = target->starts_with('/') ? Path() : directory;
    rest_ = *target + rest_;
    return Look(walked_.end);
  }

  bool Look(const Path& path) {
    if (dead_end_ && path != *dead_end_) {  // then `path` is below it
      walked_.facts = FileFacts{};
      return true;
    }
    if (Status s = files_.Look(path).MoveTo(walked_.facts); !s) return Unreadable(s.error());
    return true;
  }

  bool Unreadable(const Error& error) {
    walked_.error = error;
    return Stop(Walked::Stop::kUnreadable);
  }

  std::string rest_;
  size_t own_;  // length of the end of rest_ that is the text itself, not a link's target
  const FileView& files_;
  const NameGuard* guard_;
  std::optional<Path> dead_end_;  // missing or not a directory, so nothing exists below it
  Walked walked_;
};

}  // namespace

Walked Walk(std::string_view text, const FileView& files, const NameGuard* guard) {
  return Walker(text, files, guard).Run();
}

std::vector<Path> PassedBy(const Walked& walked) {
  std::vector<Path> passed;
  for (const WalkStep& step : walked.steps) {
    if (step.kind != FileKind::kMissing && !walked.end.IsInside(step.path)) {
      passed.push_back(step.path);
    }
  }
  return passed;
}

}  // namespace ringfence
