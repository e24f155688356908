# The CUDA part. DDLBENCH_CUDA: AUTO builds it if everything that it needs is found, and reports what is missing
# otherwise; ON makes that an error; OFF leaves it out. Afterwards DDLBENCH_CUDA is ON or OFF. If it is ON,
# ddlbench_cuda (an interface library of all libraries except cuBLASLt and NVRTC), CUDAToolkit_VERSION, CUDNN_VERSION
# and NCCL_VERSION are defined.
set(DDLBENCH_CUDA AUTO CACHE STRING "Build for GPUs, too: AUTO, ON or OFF")
set_property(CACHE DDLBENCH_CUDA PROPERTY STRINGS AUTO ON OFF)
set(DDLBENCH_PYTHON_SITE "" CACHE STRING "Folders of Python packages that may hold CUDA libraries (…/site-packages)")

set(DDLBENCH_WITHOUT_CUDA cuda)
set(DDLBENCH_WITHOUT_NCCL nccl)
if(NOT DDLBENCH_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "DDLBENCH_CUDA is '${DDLBENCH_CUDA}', but must be AUTO, ON or OFF")
endif()
if(DDLBENCH_CUDA STREQUAL "OFF")
  return()
endif()

include(CudaParts)
include(CudaToolkit)

ddlbench_python_sites(sites)
ddlbench_find_nvcc("${sites}")
set(missing "")
# ddlbench_require_part(NAME title least wheel version-header macros, then arguments of ddlbench_find_part)
macro(ddlbench_require_part part title least wheel version_header macros)
  ddlbench_find_part(${part} ${ARGN})
  if(NOT ${part}_FOUND)
    list(APPEND missing "${title} ${least} (python3 -m pip install ${wheel}, or name its prefix in ${part}_ROOT)")
  elseif(NOT "${macros}" STREQUAL "")
    ddlbench_read_version(${part}_VERSION ${${part}_INCLUDE_DIR}/${version_header} ${macros})
    if(${part}_VERSION VERSION_LESS ${least})
      list(APPEND missing
           "${title} ${least} (${${part}_INCLUDE_DIR} has ${${part}_VERSION}: name a newer one in ${part}_ROOT)")
    endif()
  endif()
endmacro()
if(NOT DDLBENCH_NVCC)
  list(APPEND missing "a CUDA toolkit 12.0 (its nvcc in PATH or named in CUDACXX), and then cuDNN and NCCL")
elseif(DDLBENCH_NVCC_VERSION VERSION_LESS 12.0)
  list(APPEND missing "CUDA 12.0 (${DDLBENCH_NVCC} is ${DDLBENCH_NVCC_VERSION}: name a newer one in CUDACXX)")
else()
  string(REGEX MATCH "^[0-9]+" cuda ${DDLBENCH_NVCC_VERSION})
  set(suffix "")
  if(cuda LESS 13)
    set(suffix -cu${cuda})
  endif()
  set(where TOOLKIT ${DDLBENCH_CUDA_ROOT} SITES ${sites} WHEELS cu${cuda})
  # These are the first versions of cuDNN that can plan for a GPU that is not present, and of NCCL that can split
  # communicators. cuDNN compiles some of its engines with NVRTC.
  ddlbench_require_part(CUDNN cuDNN 9.8 nvidia-cudnn-cu${cuda} cudnn_version.h
    "CUDNN_MAJOR;CUDNN_MINOR;CUDNN_PATCHLEVEL" HEADER cudnn.h LIBRARY cudnn ${where} cudnn)
  ddlbench_require_part(NCCL NCCL 2.18 nvidia-nccl-cu${cuda} nccl.h
    "NCCL_MAJOR;NCCL_MINOR;NCCL_PATCH" HEADER nccl.h LIBRARY nccl ${where} nccl)
  ddlbench_require_part(CUBLAS cuBLASLt ${cuda} nvidia-cublas${suffix} cublas_api.h
    "CUBLAS_VER_MAJOR;CUBLAS_VER_MINOR;CUBLAS_VER_PATCH" HEADER cublasLt.h LIBRARY cublasLt ${where} cublas)
  ddlbench_require_part(NVRTC NVRTC ${cuda} nvidia-cuda-nvrtc${suffix} "" ""
    HEADER nvrtc.h LIBRARY nvrtc ${where} cuda_nvrtc)
endif()

if(NOT missing)
  ddlbench_enable_cuda(missing)
endif()
if(missing)
  list(JOIN missing "; " missing)
  if(DDLBENCH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "DDLBENCH_CUDA is ON, but this is missing: ${missing}. docs/gpu.md says where each is looked for.")
  endif()
  message(NOTICE "Without CUDA, because this is missing: ${missing}")
  set(DDLBENCH_CUDA OFF)
  return()
endif()

# The driver's library is never linked: the binary must start where there is no driver. cuBLASLt and NVRTC are loaded
# when they are needed (kernels/cuda/blas/library.h, kernels/cuda/nvrtc.h).
add_library(ddlbench_cuda INTERFACE)
target_link_libraries(ddlbench_cuda INTERFACE CUDA::cudart ${CUDNN_LIBRARY} ${NCCL_LIBRARY})
foreach(part CUDNN NCCL CUBLAS NVRTC)
  target_include_directories(ddlbench_cuda SYSTEM INTERFACE ${${part}_INCLUDE_DIR})
  get_filename_component(folder ${${part}_LIBRARY} DIRECTORY)
  list(APPEND CMAKE_BUILD_RPATH ${folder})
endforeach()
list(REMOVE_DUPLICATES CMAKE_BUILD_RPATH)
message(NOTICE "With CUDA ${CUDAToolkit_VERSION} for architectures ${CMAKE_CUDA_ARCHITECTURES}, cuDNN ${CUDNN_VERSION}, "
               "NCCL ${NCCL_VERSION}")
set(DDLBENCH_CUDA ON)
set(DDLBENCH_WITHOUT_CUDA no_cuda)
set(DDLBENCH_WITHOUT_NCCL no_nccl)
