#pragma once

namespace ddlbench::bench {

/// Student's t distribution with `degrees` > 0 degrees of freedom, by the continued fraction of the incomplete beta
/// function (Abramowitz & Stegun, *Handbook of Mathematical Functions*, 26.5.8 and 26.7.1); the relative error is below
/// 1e-10.

/// Returns the probability that |T| exceeds |t|.
double student_two_sided(double t, double degrees);

/// Returns t so that T is at most t with `probability`, which lies strictly between 0 and 1.
double student_quantile(double probability, double degrees);

/// Returns the probability that a standard normal variable is at most z.
double normal_probability(double z);

}  // namespace ddlbench::bench
