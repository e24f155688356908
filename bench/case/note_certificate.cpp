#include "bench/case/note_certificate.h"

#include <fmt/core.h>
#include <cmath>

namespace ddlbench::bench {
namespace {

/// One part of a certificate and its name.
struct Part {
  const char* what;
  const char* reference;  ///< what it was compared with
  double found, noise, tolerance, vacuous;
};

std::string words(const Part& part) {
  if (!std::isfinite(part.tolerance)) {
    return fmt::format("proves nothing: {} of {} are zero or not finite", part.what, part.reference);
  }
  if (part.found > part.tolerance) {
    return fmt::format("{} deviate from {} by {:g}, more than the tolerance {:g}", part.what, part.reference,
                       part.found, part.tolerance);
  }
  if (!(part.tolerance >= part.vacuous)) return "";
  return fmt::format(
      "proves nothing: rounding alone changes {} of {} by {:g}, and a tolerance of {:g} could also "
      "pass a wrong training; a lower learning rate, fewer measure/verify_steps, or more samples in a batch or a "
      "statistic reduce the effect of rounding",
      part.what, part.reference, part.noise, part.tolerance);
}

}  // namespace

void note_certificate(const runtime::Certificate& certificate, bool has_statistics, Measurement& measurement) {
  measurement.certificate_loss = certificate.measured.loss;
  measurement.certificate_gradient = certificate.measured.gradient;
  measurement.certificate_update = certificate.measured.update;
  measurement.noise_loss = certificate.noise.loss;
  measurement.noise_gradient = certificate.noise.gradient;
  measurement.noise_update = certificate.noise.update;
  measurement.tolerance_loss = certificate.loss_tolerance;
  measurement.tolerance_gradient = certificate.gradient_tolerance;
  measurement.tolerance_update = certificate.update_tolerance;
  if (has_statistics) {
    measurement.certificate_statistic = certificate.measured.statistic;
    measurement.noise_statistic = certificate.noise.statistic;
    measurement.tolerance_statistic = certificate.statistic_tolerance;
  }
  measurement.certified = certificate.holds();
  if (measurement.certified) return;
  const runtime::Deviation &found = certificate.measured, &noise = certificate.noise;
  using runtime::vacuous_tolerance;
  const char* const reference =
      measurement.promise == "exact" ? "the one-rank reference" : "a one-rank run of the strategy's rule";
  for (const Part& part : {
           Part{"the losses", reference, found.loss, noise.loss, certificate.loss_tolerance,
                runtime::vacuous_loss_tolerance},
           Part{"the first gradients", reference, found.gradient, noise.gradient, certificate.gradient_tolerance,
                vacuous_tolerance},
           Part{"the weights' updates", reference, found.update, noise.update, certificate.update_tolerance,
                vacuous_tolerance},
           Part{"the changes of running statistics", reference, found.statistic, noise.statistic,
                certificate.statistic_tolerance, vacuous_tolerance},
       }) {
    const std::string why = words(part);
    if (why.empty()) continue;
    if (!measurement.certificate_reason.empty()) measurement.certificate_reason += "; ";
    measurement.certificate_reason += why;
  }
}

}  // namespace ddlbench::bench
