# Comparisons with the reference use the harness that all tests of kernels/ share.
set(shared harness.cpp kinds.cpp)
