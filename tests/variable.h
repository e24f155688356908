#pragma once

#include <stdlib.h>

#include <optional>
#include <string>

namespace ddlbench::test {

/// Sets an environment variable, or unsets it if there is no value, and restores it on destruction.
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
