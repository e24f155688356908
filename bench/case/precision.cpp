#include "bench/case/precision.h"

#include <vector>

#include "base/names.h"

namespace ddlbench::bench {

graph::DType type_of_precision(const std::string& precision) {
  struct Precision {
    std::string name;
    graph::DType dtype;
  };
  static const std::vector<Precision> all{
      {"fp32", graph::DType::f32}, {"bf16", graph::DType::bf16}, {"fp16", graph::DType::f16}};
  return find_named(all, precision, "precision").dtype;
}

graph::DType stored_type(const std::string& precision) {
  return precision == "tf32" ? graph::DType::f32 : type_of_precision(precision);
}

}  // namespace ddlbench::bench
