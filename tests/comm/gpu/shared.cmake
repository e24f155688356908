# Tests for any transport, run with the transports of gpu/startable.cpp.
set(shared concurrency_test.cpp conformance_test.cpp mirror.cpp support.cpp)
