#include "comm/process_place.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ddlbench::comm {

namespace {

std::optional<int> number(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<ProcessPlace> process_place() {
  constexpr const char* launchers[][2] = {
      {rank_variable, ranks_variable}, {"PMI_RANK", "PMI_SIZE"}, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}};
  for (const auto& [rank_variable, size_variable] : launchers) {
    const std::optional<int> rank = number(rank_variable);
    const std::optional<int> size = number(size_variable);
    if (rank && size && *rank >= 0 && *rank < *size) return ProcessPlace{*rank, *size};
  }
  return std::nullopt;
}

std::optional<int> local_rank() {
  if (!process_place()) return std::nullopt;  // a shell in a Slurm job has some of these variables, too
  for (const char* variable :
       {rank_variable, "MPI_LOCALRANKID", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_LOCAL_RANK"}) {
    const std::optional<int> rank = number(variable);
    if (rank && *rank >= 0) return rank;
  }
  return std::nullopt;
}

}  // namespace ddlbench::comm
