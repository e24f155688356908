#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace ddlbench::bench {

/// Checks the value of an option: an integer from `least` to `most`. The error says what is expected and what was
/// found, as errors in a configuration do; --help and the manual page show the limits.
CLI::Validator integer_from(std::int64_t least, std::int64_t most);

/// The same for a number.
CLI::Validator number_from(double least, double most);

/// Checks the value of an option: a finite number greater than 0.
CLI::Validator positive_number();

/// Returns the ratio that a text such as "2%" or "0.5 %" names, from 0 to 1; nothing if it names none.
std::optional<double> parse_percentage(const std::string& text);
CLI::Validator percentage();

/// Returns the seconds that a text such as "90", "90s", "45m", "1.5h", "1h30m" or Slurm's "1-02:30:00" and "30:00"
/// names; nothing if it names no time above 0.
std::optional<double> parse_duration(const std::string& text);
CLI::Validator duration();

/// Returns the bytes that a text such as "512M", "1.5 GiB" or "800000000" names: K, M, G and T are powers of 1024;
/// nothing if it names no size of at least one byte.
std::optional<std::int64_t> parse_size(const std::string& text);
CLI::Validator size();

}  // namespace ddlbench::bench
