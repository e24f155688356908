#pragma once

namespace ddlbench::workloads {

struct LoaderOptions {
  int workers = 1;   ///< threads that read; 0: whoever asks for a batch reads it
  int prefetch = 2;  ///< batches that workers read ahead of the one in use; positive
};

}  // namespace ddlbench::workloads
