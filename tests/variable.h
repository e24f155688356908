#pragma once

#include <stdlib.h>

#include <optional>
#include <string>

namespace ddlbench::test {

/// A variable of the environment that is as before when this goes. Without a value it is unset.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) { value ? ::setenv(name_, value->c_str(), 1) : ::unsetenv(name_); }

  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace ddlbench::test
