#pragma once

#include <nvrtc.h>

#include <string>

#include "platform/shared_library.h"

namespace ddlbench::kernels::cuda {

/// NVRTC, by which cuDNN compiles some of its engines. cuDNN asks the loader for it by name, so what this process has
/// loaded under that name is what it gets. Nothing else of ddlbench calls it: a linker would leave it out.
struct Nvrtc {
  /// `file` as dlopen takes it. Throws DeviceError, which says what is missing.
  explicit Nvrtc(const std::string& file);

  decltype(&nvrtcVersion) version;

 private:
  platform::SharedLibrary file_;
};

/// That of the major version of CUDA that this was built with, to the end of the process. Throws DeviceError.
const Nvrtc& nvrtc();

}  // namespace ddlbench::kernels::cuda
