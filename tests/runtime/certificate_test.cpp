#include "runtime/certificate.h"

#include <cmath>
#include <limits>

#include "catch.h"

using namespace ddlbench::runtime;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Trace right() {
  Trace trace;
  trace.losses = {2.3, 2.2, 2.0};
  trace.first_gradients = {{"w", {3, 4}}, {"b", {0, 0}}};
  trace.initial = {{"w", {1, 1}}, {"b", {0, 0}}};
  trace.final = {{"w", {1.3F, 1.4F}}, {"b", {0, 0}}};
  return trace;
}

/// `right` with another order of summation: noise of about 1e-7.
Trace reordered() {
  Trace trace = right();
  trace.losses[2] += 1e-7;
  trace.first_gradients["w"][0] += 3e-7F;
  trace.first_gradients["b"][0] = 1e-9F;
  trace.final["w"][1] += 1.2e-7F;
  return trace;
}

}  // namespace

TEST_CASE("an equal run has no deviation and is certified") {
  const Certificate certificate = certify(right(), right(), deviation(reordered(), right()));
  CHECK(certificate.measured.loss == 0);
  CHECK(certificate.measured.gradient == 0);
  CHECK(certificate.measured.update == 0);
  CHECK(certificate.noise.update > 0);
  CHECK(certificate.loss_tolerance == 1e-4);
  CHECK(certificate.update_tolerance == 1e-3);
  CHECK(certificate.holds());
}

TEST_CASE("deviations are relative to the reference") {
  Trace trace = right();
  trace.losses[1] *= 1.25;
  trace.first_gradients["w"] = {6, 8};
  trace.final["w"] = {1.6F, 1.8F};
  const Deviation d = deviation(trace, right());
  CHECK(d.loss == Approx(0.25));
  CHECK(d.gradient == Approx(1));
  CHECK(d.update == Approx(1).epsilon(1e-5));
}

TEST_CASE("the deviation of a gradient that should be zero is relative to the largest gradient") {
  Trace trace = right();
  trace.first_gradients["b"] = {0, 5e-8F};  // 1e-8 of the largest norm, 5; the floor is 1e-6 of it
  CHECK(deviation(trace, right()).gradient == Approx(0.01).epsilon(1e-3));
}

TEST_CASE("a scaled gradient is rejected even if losses and update agree") {
  Trace trace = right();
  trace.first_gradients["w"] = {1.5F, 2};
  const Certificate certificate = certify(trace, right(), deviation(reordered(), right()));
  CHECK(certificate.measured.gradient == Approx(0.5));
  CHECK_FALSE(certificate.holds());
}

TEST_CASE("a missing tensor or a wrong shape is rejected") {
  Trace missing = right();
  missing.final.erase("b");
  CHECK(std::isinf(deviation(missing, right()).update));
  CHECK_FALSE(certify(missing, right(), deviation(reordered(), right())).holds());

  Trace misshapen = right();
  misshapen.first_gradients["w"].push_back(0);
  CHECK(std::isinf(deviation(misshapen, right()).gradient));

  Trace renamed = right();
  renamed.first_gradients.erase("b");
  renamed.first_gradients["c"] = {0, 0};
  CHECK(std::isinf(deviation(renamed, right()).gradient));

  Trace shorter = right();
  shorter.losses.pop_back();
  CHECK(std::isinf(deviation(shorter, right()).loss));
}

TEST_CASE("values that are not finite are rejected on either side") {
  for (const bool in_reference : {false, true}) {
    Trace bad = right();
    bad.losses[0] = std::numeric_limits<double>::quiet_NaN();
    bad.first_gradients["b"][1] = not_a_number;
    bad.final["w"][0] = not_a_number;
    const Deviation d = in_reference ? deviation(right(), bad) : deviation(bad, right());
    CHECK(std::isinf(d.loss));
    CHECK(std::isinf(d.gradient));
    CHECK(std::isinf(d.update));
  }
}

TEST_CASE("runs that start from different weights, or do not change them, prove nothing") {
  Trace other = right();
  other.initial["w"][0] = 1.0000001F;
  CHECK(std::isinf(deviation(other, right()).update));
  Trace still = right();
  still.final = still.initial;
  CHECK(std::isinf(deviation(still, still).update));
}

TEST_CASE("noise is a property of updates, not of the initial weights") {
  Trace shifted = right();
  for (auto* tensors : {&shifted.initial, &shifted.final})
    for (auto& [name, values] : *tensors)
      for (float& value : values) value += 1;
  CHECK(std::isinf(deviation(shifted, right()).update));
  CHECK(noise(shifted, right()).update < 1e-5);
}

TEST_CASE("the deviation of running statistics is relative to how far they moved") {
  const auto with = [](float mean) {
    Trace trace = right();
    trace.initial_statistics = {{"running_mean", {0, 0}}, {"running_var", {1, 1}}};
    trace.final_statistics = {{"running_mean", {0.3F, mean}}, {"running_var", {1.03F, 1.04F}}};
    return trace;
  };
  CHECK(deviation(right(), right()).statistic == 0);
  CHECK(deviation(with(0.4F), with(0.4F)).statistic == 0);
  CHECK(deviation(with(0.45F), with(0.4F)).statistic == Approx(0.1).epsilon(1e-5));
  CHECK(certify(with(0.4F), with(0.4F), deviation(with(0.40001F), with(0.4F))).holds());
  const Certificate moved = certify(with(0.45F), with(0.4F), deviation(with(0.40001F), with(0.4F)));
  CHECK(moved.statistic_tolerance == 1e-3);
  CHECK_FALSE(moved.holds());
  const Certificate wide = certify(with(0.45F), with(0.4F), deviation(with(0.41F), with(0.4F)));
  CHECK(wide.statistic_tolerance == Approx(0.2).epsilon(1e-4));
  CHECK(wide.holds());
  CHECK_FALSE(certify(with(0.4F), with(0.4F), deviation(with(0.43F), with(0.4F))).proves());

  CHECK_FALSE(certify(right(), with(0.4F), deviation(with(0.4F), with(0.4F))).holds());
  CHECK_FALSE(certify(with(0.4F), right(), deviation(right(), right())).holds());
  CHECK_FALSE(certify(with(not_a_number), with(0.4F), deviation(with(0.4F), with(0.4F))).holds());
  Trace elsewhere = with(0.4F);
  elsewhere.initial_statistics["running_mean"][0] = 1;
  CHECK(std::isinf(deviation(elsewhere, with(0.4F)).statistic));
  Trace still = with(0.4F);
  still.final_statistics = still.initial_statistics;
  CHECK(std::isinf(deviation(still, still).statistic));
}

TEST_CASE("the tolerance follows the noise, and unbounded noise proves nothing") {
  Trace noisy = right();
  noisy.losses[0] *= 1.001;
  Trace trace = right();
  trace.losses[0] *= 1.005;
  CHECK(certify(trace, right(), deviation(noisy, right())).loss_tolerance == Approx(0.01));
  CHECK(certify(trace, right(), deviation(noisy, right())).holds());
  CHECK_FALSE(certify(trace, right(), deviation(reordered(), right())).holds());

  noisy.losses[0] = std::numeric_limits<double>::infinity();
  CHECK_FALSE(certify(right(), right(), deviation(noisy, right())).holds());
}

TEST_CASE("a tolerance that wrong training would pass proves nothing") {
  const auto with_noise = [](const Deviation& noise) { return certify(right(), right(), noise); };
  CHECK(with_noise({0.0099, 0.049, 0.049, 0.049}).holds());
  for (const Deviation& noise : {Deviation{0.0101, 0, 0, 0}, Deviation{0, 0.0501, 0, 0}, Deviation{0, 0, 0.0501, 0},
                                 Deviation{0, 0, 0, 0.0501}}) {
    CHECK_FALSE(with_noise(noise).proves());
    CHECK_FALSE(with_noise(noise).holds());
  }

  // Half of the right gradients never pass a tolerance that proves something.
  Trace halved = right();
  for (auto& [name, values] : halved.first_gradients)
    for (float& value : values) value /= 2;
  halved.final = {{"w", {1.15F, 1.2F}}, {"b", {0, 0}}};
  const Certificate widest = certify(halved, right(), {0.0099, 0.0499, 0.0499, 0});
  CHECK(widest.proves());
  CHECK_FALSE(widest.holds());
}
