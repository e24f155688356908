#pragma once

#include "strategies/facets/facet.h"

namespace ddlbench::strategies {

#define DDLBENCH_FACET(name) Facet name##_facet();
#include "strategies/facets/facets.def"
#undef DDLBENCH_FACET

}  // namespace ddlbench::strategies
