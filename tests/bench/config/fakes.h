#pragma once

#include "bench/config/registries.h"
#include "kernels/host_device.h"

namespace ddlbench::bench {

/// Returns small registries for tests, with options of every type.
inline Registries fake_registries() {
  using strategies::Family;
  const Option microbatches{"microbatches", std::int64_t{4}, "Parts of a batch.", 1};
  Registries fakes;
  fakes.strategies = {
      {"single", Family::single, "One rank.", {}, nullptr, [](const OptionValues&) { return 1; }},
      {"ddp",
       Family::data,
       "Data parallel.",
       {{"bucket_mb", 25.0, "Size of a bucket."}, {"overlap", true, "Reduce during backward."}},
       nullptr},
      {"tensor",
       Family::intra_layer,
       "Split layers.",
       {{"widths", Integers{2}, "Of the parts.", 1, {}, 64},
        {"again", Strings{}, "What is made again.", 0, {"gelu", "norm"}},
        {"codec",
         Nested{{"none", {}}},
         "What is sent.",
         0,
         {},
         0,
         {{"none", "As it is.", {}}, {"top", "The largest.", {{"share", 0.01, "Of all.", 0, {}, 1}}}}}},
       nullptr},
      {"gpipe",
       Family::inter_layer,
       "Pipeline with flush.",
       {microbatches, {"balance", std::string("time"), "What stages share equally.", 0, {"time", "memory"}}},
       nullptr},
      {"hybrid",
       Family::hybrid,
       "A mesh of axes.",
       {{"mesh", AxisSizes{}, "Sizes of the axes.", 1, {"data", "tensor", "pipeline"}}, microbatches},
       nullptr,
       [](const OptionValues& options) {
         int ranks = 1;
         for (const auto& axis : value_of<AxisSizes>(options, "mesh")) ranks *= axis.second;
         return ranks;
       }},
  };
  fakes.models = {{"mlp", "Linear layers.", {{"hidden", std::int64_t{256}, "Width.", 1}}, nullptr, nullptr},
                  {"lenet", "LeNet-5.", {}, nullptr, nullptr}};
  fakes.datasets = {{"idx",
                     "Files of MNIST's form.",
                     {{"path", std::string("/data"), "Folder."}, {"limit", std::int64_t{0}, "Samples; 0: all."}},
                     nullptr},
                    {"synthetic", "Made up.", {{"size", std::int64_t{1024}, "Samples.", 1}}, nullptr}};
  fakes.devices = {{"reference", "Naive loops.", nullptr, kernels::one_host},
                   {"cpu", "oneDNN.", nullptr, kernels::one_host}};
  fakes.transport_choices = {{"threads", "Ranks as threads.", "threads"}};
  return fakes;
}

}  // namespace ddlbench::bench
