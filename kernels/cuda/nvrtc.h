#pragma once

#include <nvrtc.h>

#include <string>

#include "platform/shared_library.h"

namespace ddlbench::kernels::cuda {

/// NVRTC, with which cuDNN compiles some of its engines. cuDNN loads it by name, so it gets the library that this
/// process has loaded under that name. ddlbench calls nothing else of it, so a linker would omit it.
struct Nvrtc {
  /// Loads `file`, a name or path as for dlopen. Throws DeviceError, which states what is missing.
  explicit Nvrtc(const std::string& file);

  decltype(&nvrtcVersion) version;

 private:
  platform::SharedLibrary file_;
};

/// Returns NVRTC of the major version of CUDA that ddlbench was built with. It stays loaded until the process ends.
/// Throws DeviceError if it cannot be loaded.
const Nvrtc& nvrtc();

}  // namespace ddlbench::kernels::cuda
