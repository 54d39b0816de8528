#include "policy/mcp/evaluate_mcp.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_pointer.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/evaluate/evaluate_url.h"
#include "policy/evaluate/text_kind.h"
#include "policy/files/first_names.h"
#include "policy/files/resolve.h"
#include "policy/mcp/argument_names.h"
#include "policy/mcp/mcp_document.h"
#include "policy/mcp/mcp_host.h"
#include "policy/mcp/mcp_maps.h"
#include "policy/mcp/mcp_name.h"
#include "policy/mcp/mcp_value.h"
#include "policy/rules/domain.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

// True for a name that prose rarely ends with.
bool IsPlainName(std::string_view name) {
  return name.find_first_of(" \t\r\n\"'`()[]{}<>|;,") == std::string_view::npos;
}

class McpEvaluator {
 public:
  McpEvaluator(const Event& event, const Places& places, const CachedFiles& files,
               ArgumentEvaluator& arguments)
      : event_(event), places_(places), files_(files), arguments_(arguments) {
    for (const std::string& folder : arguments.paths().folders()) names_.AddFolder(folder);
  }

  void Run() {
    for (const InputField& field : event_.input) AppendDocument(field, documents_);
    const bool has_entry = EvaluateNamed();
    const std::optional<McpMap> map = has_entry ? std::nullopt : MapOfTool(event_.tool_name);
    if (map) {
      for (const std::string_view pointer : map->read) EvaluateAt(pointer, Access::kRead);
      for (const std::string_view pointer : map->write) EvaluateAt(pointer, Access::kWrite);
    }
    for (const InputField& field : event_.input) EvaluateField(field, map, has_entry);
    for (const InputField& field : documents_) {
      if (field.by_value) EvaluateField(field, map, has_entry);
    }
  }

 private:
  enum class Taken : uint8_t { kAll, kDenials };

  void EvaluateField(const InputField& field, const std::optional<McpMap>& map, bool has_entry) {
    if (field.kind != JsonKind::kString) return;
    const Value value = ReadValue(std::string_view(field.text).substr(0, field.text.find('\0')));
    // {"properties": {"https://schema.example/name": ...}} names a property.
    if (!field.is_key || !NamesProperties(field.key)) {
      if (value.form == ValueForm::kWebUrl) EvaluateWeb(field, value);
      if (value.form == ValueForm::kOtherUrl) arguments_.EvaluateOtherScheme(value.text);
    }
    const bool is_mapped = has_entry || (map && map->Covers(field.pointer));
    if (!is_mapped) EvaluateByValue(field, value);
  }

  // Evaluates the arguments that the policy's entries for the tool name. True if the entries name
  // every path.
  bool EvaluateNamed() {
    bool has_entry = false;
    for (const McpFields& entry : arguments_.policy().mcp) {
      if (!MatchName(entry.tool, event_.tool_name)) continue;
      has_entry |= !entry.adds_only;
      for (const std::string_view pointer : entry.read) EvaluateAt(pointer, Access::kRead);
      for (const std::string_view pointer : entry.write) EvaluateAt(pointer, Access::kWrite);
    }
    return has_entry;
  }

  void EvaluateAt(std::string_view pointer, Access access) {
    for (const std::vector<InputField>* fields : {&event_.input, &std::as_const(documents_)}) {
      for (const InputField& field : *fields) {
        const bool is_value = !field.is_key && field.kind != JsonKind::kArray &&
                              field.kind != JsonKind::kNull;  // null counts as absent
        if (is_value && PointerCovers(pointer, field.pointer)) EvaluateMapped(field, access);
      }
    }
  }

  void EvaluateMapped(const InputField& field, Access access) {
    if (!arguments_.IsUsable(field)) return;
    const TextKind kind = KindOfText(field.text);
    if (kind == TextKind::kFileUrl) return arguments_.EvaluateFileUrl(field, access);
    // Run() evaluates its host, whatever the argument's name.
    if (kind == TextKind::kWebUrl) return arguments_.EvaluateUrlAsPath(field, access);
    const std::string_view text = field.text.empty() ? "." : std::string_view(field.text);
    arguments_.EvaluateServerPath(field, text, access);
  }

  void EvaluateByValue(const InputField& field, const Value& value) {
    UsualName usual = McpNameOf(field.key);
    // The keys of an object are paths if its name says that it contains several.
    const bool may_be_any = field.is_key ? usual != UsualName::kPaths : usual == UsualName::kPeer;
    if (may_be_any) usual = UsualName::kNone;
    if (field.is_key && usual == UsualName::kNone && !names_.MayNameAsKey(field.text)) return;
    if (!IsSound(field, value, usual)) return;
    EvaluateValue(field, value, usual);
    EvaluateAsWritten(field, usual);
  }

  // Evaluates the untrimmed name, because some servers do not trim: a link "x " leads elsewhere
  // than "x". If only the end differs, this matters only if a file of that exact name exists.
  void EvaluateAsWritten(const InputField& field, UsualName usual) {
    if (!names_.MayNameAsWritten(field.text)) return;
    const bool begins_alike = TrimUnseen(field.text).data() == field.text.data();
    const auto exists = [this](const std::string& start) { return Exists(Path::Clean(start)); };
    if (begins_alike && std::ranges::none_of(arguments_.paths().Starts(field.text), exists)) return;
    // With "/." appended, it does not end with characters that may be dropped.
    Take(field, field.text + "/.", usual == UsualName::kNone ? Taken::kDenials : Taken::kAll);
  }

  // False if the string cannot be a path. It is then text, unless it begins like a path: then it is
  // refused.
  bool IsSound(const InputField& field, const Value& value, UsualName usual) {
    if (!field.cut && !field.has_nul && !field.has_lone_surrogate) return true;
    const bool is_named = usual != UsualName::kNone && !field.cut;
    if (is_named || MayEndAnywhere(value, usual) || NamesPlace(value, usual)) {
      arguments_.IsUsable(field);
    }
    return false;
  }

  // True if the missing rest of a cut value may lead anywhere, whatever its beginning:
  // "nowhere/x/x/...", and after 64 KiB "../../..".
  static bool MayEndAnywhere(const Value& value, UsualName usual) {
    if (!value.is_cut || IsText(value, usual)) return false;
    if (value.form == ValueForm::kWebUrl || value.form == ValueForm::kOtherUrl) {
      return usual == UsualName::kPath || usual == UsualName::kPaths;
    }
    // A relative value is more likely base64 if the argument's name says nothing.
    return value.form != ValueForm::kRelative || usual != UsualName::kNone;
  }

  bool NamesPlace(const Value& value, UsualName usual) const {
    switch (value.form) {
      case ValueForm::kText:
        return false;
      case ValueForm::kWebUrl:
      case ValueForm::kOtherUrl:
        if (!arguments_.paths().MayBePath(value.text)) return false;
        return !IsText(value, usual) || NamesSomething("./" + value.text);
      case ValueForm::kFileUrl: {
        if (!IsText(value, usual)) return true;
        const std::optional<std::string> path = PathOfFileUrl(value.text);
        return path && NamesSomething(*path);
      }
      case ValueForm::kRelative:
        if (usual == UsualName::kNone && !names_.MayName(value.text)) return false;
        break;
      case ValueForm::kAbsolute:
        if (!names_.MayName(value.text)) return false;
        break;
      case ValueForm::kHome:
      case ValueForm::kOtherHome:
      case ValueForm::kClimbing:
        break;
    }
    return !IsText(value, usual) || NamesSomething(value.text);
  }

  // True for prose, unless the argument's name says that it is a path: "/x/a new file with words".
  static bool IsText(const Value& value, UsualName usual) {
    return value.is_prose && usual != UsualName::kPath && usual != UsualName::kPaths;
  }

  void EvaluateValue(const InputField& field, const Value& value, UsualName usual) {
    const bool is_binding =
        usual == UsualName::kNone && NamesBinding(field.key) && BindsDirectory(value.text);
    if (!is_binding) EvaluatePlace(field, value, usual);
    if (!value.is_path()) return;
    EvaluateBound(field, value, usual);
    EvaluateBareHost(field, value, usual);
  }

  // Evaluates "/etc:/mnt", which mounts the first path at the second one in a container. Under a
  // name for several paths ("paths"), all of them are paths on this host.
  void EvaluateBound(const InputField& field, const Value& value, UsualName usual) {
    std::string_view rest = value.text;
    const std::string_view bound = BoundPath(rest);
    if (bound.empty()) return;
    Value place = ReadValue(bound);
    const bool is_home = place.form == ValueForm::kHome || place.form == ValueForm::kOtherHome;
    const bool is_binding = rest.substr(bound.size()).starts_with(":/");  // so "~name" is a home
    EvaluatePlace(field, place, is_home && is_binding ? UsualName::kPath : usual);
    for (size_t colon = rest.find(':'); colon != rest.npos; colon = rest.find(':')) {
      rest.remove_prefix(colon + 1);
      if (usual != UsualName::kPaths || !rest.starts_with('/')) continue;
      EvaluatePlace(field, ReadValue(rest.substr(0, rest.find(':'))), usual);
    }
  }

  void EvaluatePlace(const InputField& field, const Value& value, UsualName usual) {
    switch (value.form) {
      case ValueForm::kText:
        return;
      case ValueForm::kWebUrl:
      case ValueForm::kOtherUrl:
        return EvaluateUrlAsPath(field, value, usual);
      case ValueForm::kFileUrl:
        return EvaluateFileUrl(field, value, usual);
      case ValueForm::kOtherHome:
        EvaluateOtherHome(field, value, usual);
        return EvaluateUnexpanded(field, value, usual);
      case ValueForm::kRelative:
        return EvaluateRelative(field, value, usual);
      case ValueForm::kHome:
        if (field.text != "~" || usual != UsualName::kNone) TakePlace(field, value, usual);
        return EvaluateUnexpanded(field, value, usual);
      case ValueForm::kAbsolute:
        // "/" as an object's key is a route, because no file can be created there.
        if (!field.is_key || !Path::Clean(value.text).is_root()) TakePlace(field, value, usual);
        return;
      case ValueForm::kClimbing:
        return TakePlace(field, value, usual);
    }
  }

  void TakePlace(const InputField& field, const Value& value, UsualName usual) {
    if (NamesPlace(value, usual)) Take(field, value.text);
  }

  // If the argument has a usual name of a path, every relative path counts. Otherwise a relative
  // path matters only if it leads outside or is denied.
  void EvaluateRelative(const InputField& field, const Value& value, UsualName usual) {
    if (usual != UsualName::kNone) return Take(field, value.text);
    if (names_.MayName(value.text)) Take(field, value.text, Taken::kDenials);
  }

  // "~name/x" is a path if that home exists.
  void EvaluateOtherHome(const InputField& field, const Value& value, UsualName usual) {
    const size_t slash = std::min(value.text.find('/'), value.text.size());
    if (slash == value.text.size() && usual == UsualName::kNone) return;  // it may be a word
    if (places_.homes.empty()) return Take(field, value.text);
    const std::string_view name = std::string_view(value.text).substr(1, slash - 1);
    const std::string_view rest = std::string_view(value.text).substr(slash);
    for (const Path& home : places_.homes) {
      if (home.name() == name) return Take(field, "~" + std::string(rest));
    }
    const Path home =
        name == "root" ? Path::Clean("/root") : places_.homes.front().Parent().Child(name);
    if (Exists(home)) Take(field, home.text() + std::string(rest));
  }

  // Many servers expand nothing: they read "~" and "$HOME" as names in their working directory.
  void EvaluateUnexpanded(const InputField& field, const Value& value, UsualName usual) {
    if (!HasDotDot(value.literal) && !names_.MayName(value.literal)) return;
    const std::string path = "./" + value.literal;
    const bool is_text = IsText(value, usual) && IsProse(value.literal);
    if (is_text && !NamesSomething(path)) return;
    Take(field, path, usual == UsualName::kNone ? Taken::kDenials : Taken::kAll);
  }

  void EvaluateWeb(const InputField& field, const Value& value) {
    const std::string_view text = std::string_view(field.text).substr(0, field.text.find('\0'));
    const UsualName usual = McpNameOf(field.key);
    const bool is_text = usual == UsualName::kNone || usual == UsualName::kPeer;
    const std::string url = UrlToEvaluator(value, text, is_text);
    if (!url.empty())
      arguments_.TakeName(EvaluateUrl(url, arguments_.policy(), arguments_.trace()));
  }

  // Evaluates a host without a scheme, which the argument's name suggests.
  void EvaluateBareHost(const InputField& field, const Value& value, UsualName usual) {
    if (!NamesBareHost(field, value.text, usual)) return;
    NameDecision decision = arguments_.EvaluateBareHost(value.text);
    if (decision.cause) AddRemedy(*decision.cause, "host");
    arguments_.TakeName(std::move(decision));
  }

  // A server that does not know URLs reads the text as a relative path.
  void EvaluateUrlAsPath(const InputField& field, const Value& value, UsualName usual) {
    if (!arguments_.paths().MayBePath(value.text)) return;
    const std::string path = "./" + value.text;
    if (!IsText(value, usual) || NamesSomething(path)) Take(field, path);
  }

  void EvaluateFileUrl(const InputField& field, const Value& value, UsualName usual) {
    EvaluateUrlAsPath(field, value, usual);
    const std::string_view rest =
        std::string_view(value.text).substr(std::string_view("file:").size());
    const bool has_slash = rest.starts_with('/') || rest.starts_with('\\');
    if (!has_slash) {
      // Some programs read "file:etc/x" as "etc/x", others as "/etc/x".
      std::string path;
      if (!DecodePercent(rest, &path)) path = rest;
      EvaluateValue(field, ReadValue(path),
                    usual == UsualName::kNone ? UsualName::kNone : UsualName::kPath);
      if (rest.empty() || !names_.MayName("/" + std::string(rest))) return;
    }
    const std::optional<std::string> path = PathOfFileUrl(value.text);
    if (!path) {
      if (IsText(value, usual)) return;
      return arguments_.verdict().Deny("file URL " + Quote(value.text),
                                       "it cannot be read as the path of a local file");
    }
    if (!names_.MayName(*path) || (IsText(value, usual) && !NamesSomething(*path))) return;
    Take(field, *path);
  }

  bool Exists(const Path& path) const {
    const Result<FileFacts> facts = files_.Look(path);
    return facts ? facts->kind != FileKind::kMissing : facts.error().code != ENAMETOOLONG;
  }

  // True if the text begins with an existing file: "/etc/hosts is broken" mentions a file,
  // "/etc/new name" is one. `text` is absolute or in a home.
  bool BeginsWithFile(std::string_view text) const {
    for (size_t space = text.find(' '); space != text.npos; space = text.find(' ', space + 1)) {
      if (text[space - 1] == '/') return false;
      const auto exists = [this](const std::string& start) { return Exists(Path::Clean(start)); };
      if (std::ranges::any_of(arguments_.paths().Starts(text.substr(0, space)), exists))
        return true;
    }
    return false;
  }

  // True if text that looks like prose names a file: one that exists, or one with a plain name that
  // can be created. Checks both readings: "a link/../x" may be next to the link's target.
  bool NamesSomething(std::string_view text) const {
    const bool is_relative = text[0] != '/' && text[0] != '~';
    if (!is_relative && !IsProse(text) && !BeginsWithFile(text)) return true;  // only a few words
    const auto names_something = [this](const Path& path) {
      return Exists(path) || (IsPlainName(path.name()) && Exists(path.Parent()));
    };
    return std::ranges::any_of(arguments_.paths().Starts(text), [&](const std::string& start) {
      if (names_something(Path::Clean(start))) return true;
      if (!HasDotDot(start)) return false;
      const Walked walked = Walk(start, files_);
      return walked.stop != Walked::Stop::kTooLong && names_something(walked.end);
    });
  }

  Access AccessOf(const InputField& field) const {
    return reads_ && !NamesOutput(field.key) ? Access::kRead : Access::kWrite;
  }

  void Take(const InputField& field, std::string_view text, Taken taken = Taken::kAll) {
    const bool is_relative = text[0] != '/' && text[0] != '~';
    const std::string written = (is_relative && RefusedText(text) ? "./" : "") + std::string(text);
    const Access access = AccessOf(field);
    const auto take = [&](Access evaluated, PathDecision decision) {
      if (taken == Taken::kDenials && decision.verdict == Verdict::kAsk) return;
      if (decision.cause) {
        std::string& remedy = decision.cause->remedy;
        const bool has_command = remedy.find('`') != std::string::npos;
        if (has_command && HoldsSeveralPaths(written)) remedy = "Name one path at a time.";
        AddRemedy(*decision.cause, "path");
      }
      arguments_.verdict().Take(std::move(decision), evaluated);
    };
    const PathEvaluator& paths = arguments_.paths();
    take(access, paths.Evaluate(written, access, VerbOf(access), field.pointer));
    if (access == Access::kRead) return;
    // A tool that writes may read as well, so the read rules apply too.
    take(Access::kRead, paths.EvaluateReadLists(written, field.pointer));
  }

  // Says how to exempt an argument that is not a `what`. A denial by a deny list has no remedy.
  void AddRemedy(Cause& cause, std::string_view what) const {
    if (cause.remedy.empty() && cause.place) return;
    if (!cause.remedy.empty()) cause.remedy += ' ';
    cause.remedy += "Not a " + std::string(what) + "? The user can add \"mcp\": {" +
                    Quote(event_.tool_name) + ": {}} to the policy.";
  }

  const Event& event_;
  const Places& places_;
  const CachedFiles& files_;
  ArgumentEvaluator& arguments_;
  FirstNames names_{files_, places_};
  std::vector<InputField> documents_;  // from JSON in strings, whose names set by_value
  const bool reads_ = IsReadingMcpTool(event_.tool_name);
};

}  // namespace

void EvaluateMcp(const Event& event, const Places& places, const CachedFiles& files,
                 ArgumentEvaluator& arguments) {
  McpEvaluator(event, places, files, arguments).Run();
}

}  // namespace ringfence
