// Result<T> is a value or an Error. Nothing in base (except json, json_edit and process), policy,
// agents/claude (without setup), audit_log and hook throws, so every function that can fail returns
// a Result, and the compiler warns if a caller discards it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace ringfence {

// One error, written for the person who has to fix it: where it is, what is wrong, what to do.
// Messages are one line, lower case, without a full stop; foreign text in them is quoted. Code
// tests only `kind`, `code` and `about`, so the texts may be reworded (tests/error_text.py).
struct Error {
  enum class Kind {
    kUsage,          // the command line
    kInvalidInput,   // the event
    kInvalidConfig,  // a policy, a settings file
    kSystem,         // a system call
  };

  // Subject of the error, for callers that need it if `code` is not enough.
  enum class About : uint8_t {
    kOther,
    kRoot,          // the option --root
    kProjectDir,    // the variable that names the project
    kLandlock,      // Landlock as a whole, not one of its rules
    kMountSetattr,  // calls that an old kernel may lack
    kCloseRange,
  };

  Kind kind = Kind::kSystem;
  std::string where;  // "policy.json:7:14", "open(/etc/x)"; may be empty
  std::string what;
  std::string hint;  // what the user can change; may be empty
  int code = 0;      // errno of the failed call; 0 if no call failed
  About about = About::kOther;

  std::string text() const { return where.empty() ? what : where + ": " + what; }
  bool operator==(const Error&) const = default;
};

Error UsageError(std::string where, std::string what, std::string hint = "");
Error ConfigError(std::string where, std::string what, std::string hint = "");

struct Unit {
  bool operator==(const Unit&) const = default;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // The caller must check has_value() first: without a value, the program ends instead of reading
  // garbage.
  T& value() & { return *Checked(std::get_if<0>(&state_)); }
  const T& value() const& { return *Checked(std::get_if<0>(&state_)); }
  T&& value() && { return std::move(*Checked(std::get_if<0>(&state_))); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Moves the value to `target`. Without a value, leaves `target` as it is and returns the error.
  template <typename U>
  Result<Unit> MoveTo(U& target) && {
    if (!has_value()) return error();
    target = std::move(value());
    return Unit{};
  }

  const Error& error() const { return *Checked(std::get_if<1>(&state_)); }

 private:
  template <typename P>
  static P* Checked(P* pointer) {
    if (pointer == nullptr) __builtin_trap();
    return pointer;
  }

  std::variant<T, Error> state_;
};

using Status = Result<Unit>;

}  // namespace ringfence
