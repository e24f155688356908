# Tests of every kind of device, on GPUs.
set(shared against_reference_test.cpp blocked.cpp case_list.cpp cases.cpp cases_conv2d.cpp cases_pool.cpp
    codec_cases.cpp codec_test.cpp device_test.cpp dropout_test.cpp harness.cpp loss_scale_test.cpp low_rank_cases.cpp
    low_rank_test.cpp narrow.cpp narrow_test.cpp norm_cases.cpp optimizer_cases.cpp ranks_test.cpp
    readiness_test.cpp)
