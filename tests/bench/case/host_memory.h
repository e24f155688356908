#pragma once

#include "catch.h"
#include "skip.h"
#include "small_case.h"

namespace ddlbench::bench {

/// Trains a case and compares its memory with the plan: the case itself asserts the bytes that the device allocated, by
/// class; the resident memory may exceed them by less than 200 MB.
inline void require_no_more_than_planned(const SmallCase& small) {
  RecordedProgress heard;
  const Measurement found = run_case(small.experiment, small.which, "", heard);
  REQUIRE(found.host_memory);
  const HostMemoryRecord& memory = *found.host_memory;
  INFO(small.experiment.workload.model.kind << ": planned " << found.peak_memory_bytes << ", loader "
                                            << memory.loader_bytes << ", heap " << memory.heap_peak_bytes.value_or(-1)
                                            << ", resident " << memory.resident_peak_bytes.value_or(-1));
  CHECK(memory.loader_bytes > 0);
  CHECK(memory.case_resident_peak_bytes >= memory.resident_peak_bytes.value_or(0));
  if (!memory.heap_peak_bytes) return test::skip("the heap is not counted here: what is resident is a sanitizer's");
  CHECK(*memory.heap_peak_bytes >= memory.loader_bytes);
  CHECK(*memory.heap_peak_bytes - memory.loader_bytes < 200'000'000);
  if (!memory.resident_peak_bytes) return test::skip("the system does not let the peak of what is resident begin anew");
  CHECK(*memory.resident_peak_bytes > found.peak_memory_bytes);
  CHECK(*memory.resident_excess_bytes < 200'000'000);
}

/// Returns a case of one rank on `cpu`: a warm-up step, a measured step, an epoch and its validation.
inline SmallCase whole_model(const std::string& model, const OptionValues& options, const Choice& dataset,
                             std::int64_t batch) {
  SmallCase small("single");
  small.experiment.workload.model = {model, options};
  small.experiment.workload.dataset = dataset;
  small.experiment.training.epochs = 1;
  small.experiment.training.optimizer.options["learning_rate"] = 1e-4;
  small.experiment.devices.kind = "cpu";
  small.experiment.measure = without_prediction({1, 1, 1, 0, 600});
  small.which.global_batch = batch;
  return small;
}

inline Choice images(const std::string& shape, std::int64_t classes, std::int64_t samples) {
  return {
      "synthetic",
      {{"shape", shape}, {"classes", classes}, {"train_samples", samples}, {"validation_samples", std::int64_t{1}}}};
}

inline Choice tokens(std::int64_t length, std::int64_t classes, std::int64_t samples) {
  return {"synthetic-text",
          {{"sequence_length", length},
           {"classes", classes},
           {"train_samples", samples},
           {"validation_samples", std::int64_t{1}}}};
}

}  // namespace ddlbench::bench
