#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workloads/dataset.h"

namespace ddlbench::workloads {

/// A sample that cannot be read.
struct CorruptSample {
  std::int64_t index = 0;
  std::string why;  ///< read()'s message: it names the file
};

/// A data set without its corrupt samples, and which those are, ascending.
struct Sound {
  std::shared_ptr<const Dataset> dataset;
  std::vector<CorruptSample> left_out;
};

/// Reads every sample once, with `threads` threads, where the data set may be corrupt at all. Which samples are read,
/// and how many a batch really has, must be known alike to all ranks, of which each reads only its own: that is why
/// corrupt ones are left out before any order is made, and not when they are met. The others keep their order and are
/// numbered anew. Throws BadData if no sample is left.
Sound without_corrupt(std::shared_ptr<const Dataset> dataset, int threads);

/// "2 of 400 samples of the training data cannot be read and are left out:" and a line for each of the first `most`.
std::string describe(const Sound& sound, const std::string& which, std::size_t most = 10);

}  // namespace ddlbench::workloads
