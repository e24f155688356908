#include "optimizer_cases.h"

#include <cmath>

#include "graph/ops/optimizer.h"

namespace ddlbench::test {
namespace {

using graph::Guard;
using graph::UpdateSite;

/// Of tensors 0, 1 (empty), 2 (exempt) and 4 out of 6.
UpdateSite cut_site(std::int64_t size) {
  UpdateSite site;
  site.tensors = 6;
  const std::int64_t first = size / 7, second = size / 2;
  site.segments = {{0, first, 0, false}, {first, first, 1, false}, {first, second, 2, true}, {second, size, 4, false}};
  return site;
}

/// One element a tensor: more than one launch carries.
UpdateSite fine_site(std::int64_t size) {
  UpdateSite site;
  site.tensors = static_cast<int>(size);
  for (int i = 0; i < site.tensors; ++i) site.segments.push_back({i, i + 1, i, i % 3 == 0});
  return site;
}

}  // namespace

UpdateSite small_site() {
  UpdateSite site;
  site.tensors = 3;
  site.segments = {{0, 3, 0, false}, {3, 6, 1, false}, {6, 7, 2, true}};
  return site;
}

std::vector<Run> optimizer_runs(const UpdateSite& site, const Guard& guard, std::int64_t size, float squared_norm) {
  const auto w = random_tensor({size}, "w"), g = random_tensor({size}, "g"), m = random_tensor({size}, "m");
  const auto v = random_tensor({size}, "v", 0.01f, 1);
  auto norms = random_tensor({site.tensors, 2}, "norms", 0.1f, 4);
  if (!norms.values.empty()) norms.values[0] = 0;
  HostTensor norm = zeros({{1}});
  norm.values[0] = squared_norm;

  std::vector<Run> runs;
  const auto add = [&](graph::OpPtr op, std::vector<HostTensor> inputs, bool guarded = true) {
    if (guarded && guard.any()) inputs.push_back(norm);
    Run run{std::move(op), std::move(inputs), {}};
    run.scalars.scaler.scale = 4;
    run.scalars.learning_rate = 0.1f;
    run.scalars.step = 7;
    run.scalars.scaler.updates = 2;
    runs.push_back(std::move(run));
  };
  graph::OptimizerSettings s;
  s.guard = guard;
  s.weight_decay = 0.01f;
  add(graph::sgd(s).update(site), {w, g});
  s.momentum = 0.9f;
  add(graph::sgd(s).update(site), {w, g, m});
  s.nesterov = true;
  add(graph::sgd(s).update(site), {w, g, m});
  add(graph::adam(s).update(site), {w, g, m, v});
  add(graph::adamw(s).update(site), {w, g, m, v});
  if (site.segments.empty() && size > 0) return runs;
  const auto lars = graph::lars(s), lamb = graph::lamb(s);
  add(lars.update(site), {w, g, m, norms});
  add(lamb.update(site), {w, g, m, v, norms});
  if (site.working != graph::DType::f32) return runs;
  add(lars.measure(site), {w, g}, false);
  add(lamb.measure(site), {w, g, m, v});
  return runs;
}

std::vector<OpCase> optimizer_cases() {
  std::vector<OpCase> cases;
  const auto add = [&cases](const std::vector<Run>& runs, double terms) {
    for (const Run& run : runs) cases.push_back({std::string(run.op->kind()) + " " + run.op->attributes(), run, terms});
  };
  for (const std::int64_t size : {0, 1, 37, 20011}) {
    const auto terms = static_cast<double>(size) + 16;
    add(optimizer_runs({}, {}, size, 0), terms);
    for (const Guard& guard : {Guard{}, Guard{0.5f, false}, Guard{100, true}})
      add(optimizer_runs(cut_site(size), guard, size, 7), terms);
  }
  add(optimizer_runs(fine_site(211), {}, 211, 0), 16);
  for (const std::int64_t size : {0, 1, 37, 20011}) {
    const auto g = random_tensor({size}, "g");
    Run run{std::make_shared<graph::SquaredNorm>(), {g}, {}};
    run.scalars.scaler.scale = 0.5f;
    const auto terms = static_cast<double>(size) + 2;
    add({run}, terms);
    run.accumulate = true;
    run.initial_outputs = {random_tensor({1}, "initial")};
    add({run}, terms);
  }
  for (const float squared_norm : {7.0F, INFINITY, NAN}) {
    HostTensor norm = zeros({{1}}), scaler = zeros({{4}});
    norm.values[0] = squared_norm;
    scaler.values = {64, 1, 5, 2};
    add({Run{std::make_shared<graph::LossScaleUpdate>(2), {norm, scaler}, {}}}, 1);
  }
  return cases;
}

}  // namespace ddlbench::test
