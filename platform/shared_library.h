#pragma once

#include <string>

namespace ddlbench::platform {

/// A library that is loaded at run time, so that ddlbench starts without it. The destructor unloads it.
class SharedLibrary {
 public:
  /// `file` is passed to dlopen.
  explicit SharedLibrary(const std::string& file);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  /// Returns the loader's message why the library cannot be loaded; empty if it is loaded.
  const std::string& why_not() const { return why_not_; }

  /// Sets `function` to the symbol `name` of the library, or to null if there is no such symbol or no library.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address_of(name));
  }

 private:
  void* address_of(const char* name) const;

  void* handle_;  ///< null if the library is not loaded
  std::string why_not_;
};

}  // namespace ddlbench::platform
