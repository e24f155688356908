#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// Returns a set of letters for each of `count` items, so that two items share a letter exactly if they do not differ
/// (the compact letter display of Piepho 2004, by insertion and absorption). Items in order of their values get letters
/// in order. `differ` is symmetric.
std::vector<std::string> letter_groups(std::size_t count, const std::function<bool(std::size_t, std::size_t)>& differ);

}  // namespace ddlbench::bench
