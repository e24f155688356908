"""Lists the commands that the tests do not run, by page, each with the reason. `instead` is a command that runs in its place:
it takes less time or needs less, and checks at least that the options are accepted."""

import dataclasses

DISTURBED = "fails if nothing is hidden, as on a busy machine"
LONG = "takes more than a minute"
BUILDS = "builds, and the tests run in a finished build"
ROOT = "needs root"
NETWORK = "needs the network"
GPU = "needs a GPU"
SLURM = "needs a Slurm cluster; the tests with the label slurm start one"
TORCH = "needs PyTorch, and takes minutes"


# Makes an experiment with images last seconds, and also the quickstart's.
SHORT = ("--set /measure/steps=4 --set /measure/interleave=false "
         "--set /workload/dataset/train_samples=2048 --set /workload/dataset/validation_samples=512")
QUICK = f"--filter 'r[12]$' {SHORT}"


@dataclasses.dataclass
class NotRun:
    command: str
    reason: str
    instead: str = ""
    ranked: bool = False  # the output is a table sorted by measured values: its rows are compared in any order


NOT_RUN = {
    "README.md": [
        NotRun("scripts/quickstart",
               f"{BUILDS}; the whole experiment takes a minute",
               f"build/ddlbench --config configs/quickstart.json --quiet --filter 'r[12]$|ddp-r4' {SHORT}",
               ranked=True),
        NotRun("build/ddlbench mine.json",
               "takes half a minute",
               f"build/ddlbench mine.json --set /training/epochs=1 {SHORT}"),
        NotRun("build/ddlbench mine.json --set /training/epochs=1 --filter ddp",
               "its rounds take a minute",
               f"build/ddlbench mine.json --set /training/epochs=1 --filter ddp {SHORT}"),
        NotRun("build/ddlbench mine.json --set /devices/transport=mpi",
               LONG,
               f"build/ddlbench mine.json --set /devices/transport=mpi --set /training/epochs=1 --filter ddp-r2 {SHORT}"),
        NotRun("mpiexec -n 4 build/ddlbench mine.json",
               LONG,
               f"mpiexec -n 4 build/ddlbench mine.json --set /training/epochs=1 --filter ddp-r2 {SHORT}"),
        NotRun("scripts/test", "runs the tests", "scripts/test --help"),
    ],
    "CONTRIBUTING.md": [
        NotRun("scripts/test", "runs the tests", "scripts/test --help"),
        NotRun("scripts/test unit", "runs the tests", "scripts/test unit --help"),
        NotRun("scripts/test --peers", "runs the tests", "scripts/test --peers --help"),
        NotRun("scripts/test --all", "runs the tests", "scripts/test --all --help"),
        NotRun("scripts/test --sanitizers", "runs the tests", "scripts/test --sanitizers --help"),
        NotRun("scripts/coverage", "runs the tests", "scripts/coverage --help"),
        NotRun("scripts/fuzz", BUILDS, "scripts/fuzz --help"),
        NotRun("scripts/fuzz --seconds 60 model idx", BUILDS, "scripts/fuzz --seconds 60 --help"),
        NotRun("cmake --preset debug && cmake --build --preset debug && ctest --preset debug",
               BUILDS,
               "for kind in configure build test; do cmake --list-presets=$kind | grep -q '\"debug\"' || exit 1; done"),
    ],
    "docs/comparing.md": [
        NotRun(f"ddlbench --config configs/synthetic-mlp.json --output {folder}", LONG,
               f"ddlbench --config configs/synthetic-mlp.json --output {folder} --filter single --set /measure/interleave=false")
        for folder in ("before", "after")
    ] + [
        NotRun("ddlbench compare --run build/ddlbench build/ddlbench --config configs/synthetic-mlp.json --rounds 4",
               "may find a difference by chance",
               "ddlbench compare --run build/ddlbench build/ddlbench --config configs/synthetic-mlp.json --rounds 2 --margin 99% --filter single --set /workload/global_batch=64 --set /measure/visit_seconds=0.01"),
        NotRun("ddlbench compare --run configs/synthetic-mlp.json larger.json --max-seconds 120 --filter 'ddp-r2'",
               "needs another experiment", "ddlbench compare --run --help"),
    ],
    "docs/configuration.md": [
        NotRun("ddlbench --config configs/quickstart.json --set /training/epochs=2 --set '/devices/ranks=[1, 2]'",
               LONG,
               "ddlbench --config configs/quickstart.json --set /training/epochs=2 --set '/devices/ranks=[1, 2]' --dry-run"),
        NotRun("ddlbench --config configs/quickstart.json --set /strategies/1/bucket_mebibytes=1",
               LONG, "ddlbench --config configs/quickstart.json --set /strategies/1/bucket_mebibytes=1 --dry-run"),
        NotRun("ddlbench --config configs/quickstart.json --set /strategies/-=fsdp",
               LONG, "ddlbench --config configs/quickstart.json --set /strategies/-=fsdp --dry-run"),
    ],
    "docs/gpu.md": [
        NotRun("cmake --preset cuda && cmake --build --preset cuda",
               BUILDS,
               "for kind in configure build; do cmake --list-presets=$kind | grep -q '\"cuda\"' || exit 1; done"),
        NotRun("python3 -m venv venv && . venv/bin/activate", NETWORK),
        NotRun("pip install nvidia-cuda-nvcc nvidia-cuda-cccl nvidia-cuda-nvrtc nvidia-cublas nvidia-cudnn-cu13 nvidia-nccl-cu13",
               NETWORK),
        NotRun("scripts/gpu_pack", BUILDS, "scripts/gpu_pack --help"),
        NotRun("tar -xf ddlbench-gpu.tar.xz", "needs the archive of the command before"),
        NotRun("ddlbench-gpu/run", "needs the archive; the test gpu_pack.sh runs it"),
        NotRun("ddlbench-gpu/run ddlbench --config ddlbench-gpu/configs/gpu/resnet50.json",
               GPU, "ddlbench --config configs/gpu/resnet50.json --dry-run"),
        NotRun("ddlbench-gpu/scripts/gpu_check --slot 1 --output checks",
               GPU, "scripts/gpu_check --slot 1 --output checks --list"),
        NotRun("DDLBENCH_TEST_OPS=conv2d build-cuda/tests/test_kernels_gpu \"every op on every device equals the reference\"",
               GPU),
        NotRun("cmake --build --preset cuda --target cuda_plans", BUILDS),
        NotRun("build-cuda/bench/cuda_plans --model resnet50 --batch 128 --precision bf16 --architecture 90",
               "needs a build with CUDA; the test cuda_plans.py runs the program there"),
    ],
    "docs/installation.md": [
        NotRun("scripts/package", BUILDS, "scripts/package --help"),
        NotRun("apt-get install ./build-package/ddlbench_*_amd64.deb",
               f"{ROOT}; the test packages.py installs the package"),
        NotRun("ddlbench --config /usr/share/ddlbench/configs/quickstart.json",
               "needs the installed package", "ddlbench --config configs/quickstart.json --dry-run"),
        NotRun("tar -xf build-package/ddlbench-*-Linux.tar.gz", "needs the archive; the test packages.py unpacks it"),
        NotRun("apt-get install libdnnl2 libfmt9 libgloo0 libgomp1 libisal2 libjpeg62-turbo libmpich12 libpng16-16 libre2-9 libstdc++6 libutf8proc2 zlib1g",
               f"{ROOT}; the test packages.py compares the list with the package's dependencies"),
        NotRun("cmake --install build --prefix \"$HOME/ddlbench\"",
               "writes into the build folder; the test installed.py runs it"),
        NotRun("xargs rm < build/install_manifest.txt", "removes files that another test may have installed"),
        NotRun("docker build --file packaging/Dockerfile --tag ddlbench .", f"needs Docker; {NETWORK}"),
        NotRun("docker run --rm --volume \"$PWD:/data\" ddlbench --config /usr/share/ddlbench/configs/quickstart.json",
               "needs Docker"),
        NotRun("apptainer build ddlbench.sif packaging/ddlbench.def", f"needs Apptainer; {NETWORK}"),
        NotRun("apptainer run ddlbench.sif --config /usr/share/ddlbench/configs/quickstart.json", "needs Apptainer"),
    ],
    "docs/resuming.md": [
        NotRun("build/ddlbench --resume results/night", "needs a run that was stopped",
               f"build/ddlbench --config configs/quickstart.json {QUICK} --output results/night && build/ddlbench --resume results/night"),
        NotRun("build/ddlbench --config configs/quickstart.json --output results/night --time-limit 2h", LONG,
               f"build/ddlbench --config configs/quickstart.json {QUICK} --output results/limited --time-limit 2h"),
    ] + [
        NotRun(f"build/ddlbench --config configs/quickstart.json --shard {part}/2 --output results/part{part}", LONG,
               f"build/ddlbench --config configs/quickstart.json {QUICK} --shard {part}/2 --output results/part{part}")
        for part in (1, 2)
    ],
    "docs/slurm.md": [
        NotRun("ddlbench slurm configs/gpu/scaling.json $options --submit", SLURM,
               "ddlbench slurm configs/gpu/scaling.json $options --submit --dry-run"),
        NotRun("ddlbench slurm status study", SLURM, "ddlbench slurm status --help"),
        NotRun("ddlbench report study/ranks-*", SLURM),
    ],
    "docs/measuring.md": [
        NotRun("scripts/repeat_verdict configs/quickstart.json --runs 10 --neighbour -- --filter='-r[12]$' --set /training/epochs=1",
               LONG, "scripts/repeat_verdict --help"),
        NotRun("build/ddlbench layers --model vgg16 --batch 8 --forward-only --csv vgg16.csv",
               "takes half a minute", "build/ddlbench layers --model lenet --batch 8 --forward-only --csv vgg16.csv"),
        NotRun("build/ddlbench layers --model cnn-fc --batch 64 --device cpu,cuda",
               GPU, "build/ddlbench layers --model lenet --batch 1 --device cpu"),
        NotRun("build/bench/micro_models --model gpt2-small --batch 4 --input 256 --only linear --candidates",
               LONG, "build/bench/micro_models --model lenet --batch 8 --only linear --candidates"),
        NotRun("cmake --preset release && cmake --build --preset release --target micro_engine micro_comm micro_kernels",
               BUILDS, "ninja -C build -t query micro_engine micro_comm micro_kernels"),
        NotRun('options="--benchmark_repetitions=5 --benchmark_report_aggregates_only=true --benchmark_min_time=0.1"',
               LONG,
               'options="--benchmark_repetitions=1 --benchmark_report_aggregates_only=true --benchmark_min_time=0.001"'),
        NotRun("cmake --build --preset release --target micro_comm_mpi micro_comm_overlap",
               BUILDS, "ninja -C build -t query micro_comm_mpi micro_comm_overlap"),
        NotRun("mpiexec -n 2 build/bench/micro_comm_mpi 9",
               "nine rounds take 15 s", "mpiexec -n 2 build/bench/micro_comm_mpi 1"),
        NotRun("mpiexec -n 4 build/bench/micro_comm_mpi 9 all_reduce",
               "nine rounds take a minute", "mpiexec -n 4 build/bench/micro_comm_mpi 1 send_receive"),
        NotRun("mpiexec -n 2 build/bench/micro_comm_overlap --latency 1e-4 --bytes-per-second 1.25e8",
               DISTURBED,
               "mpiexec -n 2 build/bench/micro_comm_overlap --latency 1e-4 --bytes-per-second 1.25e8 --rounds 5 --least-hidden=-100"),
        NotRun("build/bench/micro_comm_overlap --latency 1e-4 --bytes-per-second 1.25e8",
               DISTURBED,
               "build/bench/micro_comm_overlap --latency 1e-4 --bytes-per-second 1.25e8 --rounds 5 --least-hidden=-100"),
        NotRun("scripts/two-hosts build/bench/micro_comm_overlap",
               f"{ROOT}; a test with the label net runs it",
               "build/bench/micro_comm_overlap --rounds 5 --least-hidden=-100"),
        NotRun("scripts/two-hosts build/ddlbench --config configs/link.json",
               ROOT, "build/ddlbench --config configs/link.json --dry-run"),
        NotRun("build/ddlbench --config configs/link.json --set '/devices/throttle={\"latency_seconds\":1e-4,\"bytes_per_second\":1.25e8}'",
               LONG,
               "build/ddlbench --config configs/link.json --set '/devices/throttle={\"latency_seconds\":1e-4,\"bytes_per_second\":1.25e8}' --dry-run"),
    ],
    "docs/performance.md": [
        NotRun("cmake --preset release && cmake --build --preset release",
               BUILDS,
               "for kind in configure build; do cmake --list-presets=$kind | grep -q '\"release\"' || exit 1; done"),
        NotRun("scripts/peers/torch_venv", f"{NETWORK}: installs 5 GB", "scripts/peers/torch_venv --help"),
        NotRun("scripts/peers/torch_bench", TORCH, "scripts/peers/torch_bench --help"),
        NotRun("scripts/peers/torch_ddp_bench", TORCH, "scripts/peers/torch_ddp_bench --help"),
        NotRun("scripts/peers/torch_pipeline_bench", TORCH, "scripts/peers/torch_pipeline_bench --help"),
        NotRun("scripts/peers/torch_layers resnet50", TORCH, "scripts/peers/torch_layers resnet50 --help"),
        NotRun("scripts/peers/loader_bench", TORCH, "scripts/peers/loader_bench --help"),
        NotRun("scripts/peers/layers_check", LONG, "scripts/peers/layers_check --help"),
    ],
    "docs/processes.md": [
        NotRun("mpiexec -n 4 build/ddlbench --config configs/quickstart.json",
               LONG,
               "mpiexec -n 4 build/ddlbench --config configs/quickstart.json --set /training/epochs=1 --set /measure/steps=4 --set /measure/interleave=false --set /workload/dataset/train_samples=4096 --filter gpipe-r2"),
        NotRun("srun --mpi=pmi2 -n 4 build/ddlbench --config configs/quickstart.json",
               "needs Slurm; tests with the label slurm run it",
               "build/ddlbench --config configs/quickstart.json --dry-run"),
    ],
    "docs/torch_check.md": [
        NotRun("scripts/peers/torch_check", TORCH, "scripts/peers/torch_check --help"),
        NotRun("scripts/peers/torch_check --quick",
               "needs PyTorch; a test with the label peers runs it", "scripts/peers/torch_check --quick --help"),
        NotRun("scripts/peers/torch_check --case resnet50",
               TORCH, "scripts/peers/torch_check --case resnet50 --help"),
        NotRun("scripts/peers/torch_bands --photos photos",
               TORCH, "scripts/peers/torch_bands --photos photos --help"),
        NotRun("scripts/overfit photos", f"{LONG}; a test with the label slow runs it", "scripts/overfit --help"),
    ],
    "docs/workloads.md": [
        NotRun("cmake --build build --target make_photos", BUILDS, "ninja -C build -t query make_photos"),
        NotRun("build/ddlbench --config configs/text.json --set /workload/dataset/path=my.txt",
               f"{LONG}; needs a text",
               "build/ddlbench validate --config configs/text.json --set /workload/dataset/path=LICENSE"),
    ],
}

# What a command that contains the text needs: a program on PATH, or a path (relative ones from the folder of the page). If it
# is missing, the command is left out, and the page is reported as skipped after all other commands.
NEEDS = {
    "mpiexec": "mpiexec",
    "man -l": "man",
    "scripts/plot": "/usr/lib/python3/dist-packages/matplotlib",
    "quickstart.json": "/usr/share/datasets/fashion-mnist",
    "results/quickstart-": "/usr/share/datasets/fashion-mnist",
    "mine.json": "/usr/share/datasets/fashion-mnist",
    "configs/text.json": "/usr/share/common-licenses/GPL-3",
    "ninja": "ninja",
    "micro_engine": "build/bench/micro_engine",
    "./micro_": "build/bench/micro_engine",
    "micro_comm_mpi": "build/bench/micro_comm_mpi",
    "micro_comm_overlap": "build/bench/micro_comm_overlap",
    "make_photos": "build/make_photos",
    "build/tests/test_program": "build/tests/test_program",
}
