#pragma once

#include "kernels/cuda/context.h"
#include "kernels/own/finish.h"

namespace ddlbench::kernels::cuda {

void launch_finish(const Context& context, const own::Finish& finish, const void* sums, const void* bias, void* output);

}  // namespace ddlbench::kernels::cuda
