#pragma once

namespace ddlbench::workloads {

struct LoaderOptions {
  int workers = 1;   ///< threads that read; 0: the caller of next() reads
  int prefetch = 2;  ///< batches read ahead of the one in use; positive
};

}  // namespace ddlbench::workloads
