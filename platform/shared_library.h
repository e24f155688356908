#pragma once

#include <string>

namespace ddlbench::platform {

/// A library that is loaded when it is asked for: ddlbench starts without it. Closed with the object.
class SharedLibrary {
 public:
  /// `file` as dlopen takes it.
  explicit SharedLibrary(const std::string& file);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  /// In the loader's words why it is not there; empty where it is.
  const std::string& why_not() const { return why_not_; }

  /// Sets `function` to what the library calls `name`: to null where it has no such thing, or is not there.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address_of(name));
  }

 private:
  void* address_of(const char* name) const;

  void* handle_;  ///< null where it is not there
  std::string why_not_;
};

}  // namespace ddlbench::platform
