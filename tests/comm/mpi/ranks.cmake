# The numbers of ranks on which each test case runs, and the sources and libraries that the tests share.
set(mpi_ranks 1 2 3 4 5 6 7 8)
set(mpi_shared allocations_test.cpp concurrency_test.cpp conformance_test.cpp failures_test.cpp fake_device.cpp
               mirror.cpp startable.cpp support.cpp)
set(mpi_links ddlbench_program)
