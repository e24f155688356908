#include "runtime/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ddlbench::runtime {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Returns |error| / |reference|, or infinity unless both are finite and the reference is not zero.
double ratio(double error, double reference) {
  if (!std::isfinite(error) || !std::isfinite(reference) || reference == 0) return infinite;
  return std::abs(error) / std::abs(reference);
}

bool same_shapes(const Tensors& a, const Tensors& b) {
  return !a.empty() && std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.size() == y.second.size();
  });
}

double norm(const std::vector<float>& values) {
  double sum = 0;
  for (const float v : values) sum += static_cast<double>(v) * v;
  return std::sqrt(sum);
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

double loss_deviation(const std::vector<double>& losses, const std::vector<double>& reference) {
  if (losses.empty() || losses.size() != reference.size()) return infinite;
  double largest = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (losses[i] != reference[i]) largest = std::max(largest, ratio(losses[i] - reference[i], reference[i]));
  }
  return largest;
}

/// Returns the largest ‖a − r‖ / max(size, 1e-6 of the largest size), where size(name, r) is the norm of the expected
/// value.
double largest_deviation(const Tensors& tensors, const Tensors& reference, const auto& size_of) {
  if (!same_shapes(tensors, reference)) return infinite;
  double largest_size = 0;
  for (const auto& [name, values] : reference) {
    const double size = size_of(name, values);
    if (!std::isfinite(size)) return infinite;
    largest_size = std::max(largest_size, size);
  }
  double largest = 0;
  for (const auto& [name, values] : reference) {
    const double scale = std::max(size_of(name, values), 1e-6 * largest_size);
    largest = std::max(largest, ratio(distance(tensors.at(name), values), scale));
  }
  return largest;
}

double gradient_deviation(const Tensors& gradients, const Tensors& reference) {
  return largest_deviation(gradients, reference,
                           [](const std::string&, const std::vector<float>& values) { return norm(values); });
}

/// Initial statistics must be equal, so they cancel in Δ − Δr.
double statistic_deviation(const Trace& trace, const Trace& reference) {
  if (trace.final_statistics.empty() && reference.final_statistics.empty()) return 0;
  if (trace.initial_statistics != reference.initial_statistics) return infinite;
  if (!same_shapes(reference.initial_statistics, reference.final_statistics)) return infinite;
  return largest_deviation(trace.final_statistics, reference.final_statistics,
                           [&](const std::string& name, const std::vector<float>& values) {
                             return distance(values, reference.initial_statistics.at(name));
                           });
}

/// Computes each Δ from the initial weights of its own trace.
double update_deviation(const Trace& trace, const Trace& reference) {
  if (!same_shapes(trace.initial, reference.initial)) return infinite;
  if (!same_shapes(trace.final, trace.initial) || !same_shapes(reference.final, trace.initial)) return infinite;
  double error = 0;
  double size = 0;
  for (const auto& [name, reference_initial] : reference.initial) {
    const std::vector<float>&initial = trace.initial.at(name), &final = trace.final.at(name);
    const std::vector<float>& reference_final = reference.final.at(name);
    for (std::size_t i = 0; i < final.size(); ++i) {
      const double update = static_cast<double>(reference_final[i]) - reference_initial[i];
      const double difference = static_cast<double>(final[i]) - initial[i] - update;
      error += difference * difference;
      size += update * update;
    }
  }
  return ratio(std::sqrt(error), std::sqrt(size));
}

}  // namespace

Deviation deviation(const Trace& trace, const Trace& reference) {
  Deviation result = noise(trace, reference);
  if (trace.initial != reference.initial) result.update = infinite;
  return result;
}

Deviation noise(const Trace& trace, const Trace& reference) {
  return {loss_deviation(trace.losses, reference.losses),
          gradient_deviation(trace.first_gradients, reference.first_gradients), update_deviation(trace, reference),
          statistic_deviation(trace, reference)};
}

bool Certificate::proves() const {
  return loss_tolerance < vacuous_loss_tolerance && gradient_tolerance < vacuous_tolerance &&
         update_tolerance < vacuous_tolerance && statistic_tolerance < vacuous_tolerance;
}

bool Certificate::holds() const {
  return proves() && measured.loss <= loss_tolerance && measured.gradient <= gradient_tolerance &&
         measured.update <= update_tolerance && measured.statistic <= statistic_tolerance;
}

Certificate certify(const Trace& trace, const Trace& reference, const Deviation& noise, graph::DType parameters) {
  const double unit = parameters == graph::DType::bf16 ? 0x1p-8 : parameters == graph::DType::f16 ? 0x1p-11 : 0;
  Certificate certificate;
  certificate.measured = deviation(trace, reference);
  certificate.noise = noise;
  certificate.loss_tolerance = std::max({1e-4, unit, 10 * certificate.noise.loss});
  certificate.gradient_tolerance = std::max({1e-3, 8 * unit, 10 * certificate.noise.gradient});
  certificate.update_tolerance = std::max({1e-3, 8 * unit, 10 * certificate.noise.update});
  certificate.statistic_tolerance = std::max({1e-3, 8 * unit, 10 * certificate.noise.statistic});
  return certificate;
}

}  // namespace ddlbench::runtime
