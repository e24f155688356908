#pragma once

#include "bench/page/html.h"

namespace ddlbench::bench {

/// Returns the style sheet: light, dark and printed pages from 320 pixels on. Colours that differ between light and
/// dark are variables: ink, paper, grid, pale, grey, brown.
Html page_style();

/// Returns the script, which makes tables with the class `data` sortable and adds a field to filter them.
Html page_script();

}  // namespace ddlbench::bench
