"""Finds the libraries that the binaries of an archive of scripts/gpu_pack need and that the archive does not contain.

usage: libraries.py ROOT           prints for each what was found, which version and where; 4 if one is missing
       libraries.py ROOT --folders  prints LD_LIBRARY_PATH for programs of the archive
"""

import ctypes
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Library:
    name: str
    file: str      # name for the loader
    wheels: tuple  # folders below site-packages/nvidia
    remedy: str
    version: str   # a function of the library that returns it
    least: str = ""

    def version_of(self, path):
        """Returns the version with dots. Raises OSError or AttributeError if the file is not such a library."""
        ask = getattr(ctypes.CDLL(str(path)), self.version)
        if self.version in ("cudnnGetVersion", "cublasLtGetVersion"):
            ask.restype = ctypes.c_size_t
            return dotted(ask(), 10000, 100)
        first, second = ctypes.c_int(0), ctypes.c_int(0)
        if self.version == "nvrtcVersion":
            ask(ctypes.byref(first), ctypes.byref(second))
            return f"{first.value}.{second.value}"
        ask(ctypes.byref(first))
        return dotted(first.value, 10000, 100) if self.version == "ncclGetVersion" else dotted(first.value, 1000, 10, parts=2)


@dataclass(frozen=True)
class Found:
    library: Library
    path: Path = None   # None: not found
    where: str = ""
    version: str = ""
    wrong: str = ""     # why it cannot be used

    @property
    def usable(self):
        return self.path is not None and not self.wrong

    def summary(self):
        """Returns a summary without paths."""
        if self.path is None:
            return f"{self.library.name}: missing"
        return f"{self.library.name} {self.version}: {self.where}{', cannot be used' if self.wrong else ''}"

    def line(self):
        if self.path is None:
            return f"{self.summary()} ({self.library.file}); {self.library.remedy}"
        if self.wrong:
            return f"{self.library.name}: {self.path} cannot be used: {self.wrong}; {self.library.remedy}"
        return f"{self.summary()}, {self.path}"


def dotted(number, major, minor, parts=3):
    return ".".join(str(part) for part in (number // major, number % major // minor, number % minor)[:parts])


def packed(root):
    """Returns what scripts/gpu_pack wrote about the archive; None in a checkout."""
    path = root / "packed.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def wanted(about):
    """Returns the libraries for the CUDA version that the archive was built with, such as "13.0"."""
    cuda = about["cuda"].split(".")[0]
    suffix = "" if int(cuda) >= 13 else f"-cu{cuda}"

    def wheel(package):
        return f"python3 -m pip install {package}, or add its folder to LD_LIBRARY_PATH"
    return [
        Library("NVIDIA driver", "libcuda.so.1", (), "a container has it only if it was started with GPUs; this archive "
                f"needs one for CUDA {cuda} or newer, or must be packed with an older toolkit (CUDACXX)", "cuDriverGetVersion",
                f"{cuda}.0"),
        Library("CUDA runtime", f"libcudart.so.{cuda}", (f"cu{cuda}", "cuda_runtime"),
                wheel(f"nvidia-cuda-runtime{suffix}"), "cudaRuntimeGetVersion"),
        Library("cuDNN", "libcudnn.so.9", ("cudnn",), wheel(f"nvidia-cudnn-cu{cuda}"), "cudnnGetVersion", "9.8"),
        Library("cuBLASLt", f"libcublasLt.so.{cuda}", (f"cu{cuda}", "cublas"), wheel(f"nvidia-cublas{suffix}"),
                "cublasLtGetVersion"),
        Library("NVRTC", f"libnvrtc.so.{cuda}", (f"cu{cuda}", "cuda_nvrtc"), wheel(f"nvidia-cuda-nvrtc{suffix}"),
                "nvrtcVersion"),
        Library("NCCL", "libnccl.so.2", ("nccl",), wheel(f"nvidia-nccl-cu{cuda}"), "ncclGetVersion", "2.18"),
    ]


TOOLKIT = "/usr/local/cuda"
# The empty folder stands for the loader's own search.
SYSTEM = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/nvidia/lib64", "/usr/lib/wsl/lib", ""]


def places(root, wheels):
    """Returns [(description, folder)] in the order in which they are searched."""
    named = [Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    sites = [Path(folder) for folder in sys.path if folder.endswith("-packages")]
    toolkits = [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    toolkits.append(Path(TOOLKIT))
    return ([("this archive", root / "lib")] + [("LD_LIBRARY_PATH", folder) for folder in named]
            + [("Python's packages", site / "nvidia" / wheel / "lib") for site in sites for wheel in wheels]
            + [("toolkit", toolkit / below) for toolkit in toolkits
               for below in ("lib64", "lib", "targets/x86_64-linux/lib")]
            + [("system", Path(folder)) for folder in SYSTEM])


def numbers(version):
    return [int(part) for part in version.split(".")]


def find(root, library):
    """Returns the first library that can be used; otherwise the first that exists, and why it cannot."""
    unusable = Found(library)
    for where, folder in places(root, library.wheels):
        path = folder / library.file
        if path.is_absolute() and not path.exists():
            continue
        try:
            version = library.version_of(path)
        except (OSError, AttributeError) as error:
            wrong, version = str(error), ""
        else:
            old = library.least and numbers(version) < numbers(library.least)
            wrong = f"it is {version}, but {library.least} is needed" if old else ""
        found = Found(library, path, where, version, wrong)
        if not wrong:
            return found
        if unusable.path is None and path.is_absolute():
            unusable = found
    return unusable


def find_all(root):
    try:
        ctypes.CDLL("libstdc++.so.6")
    except OSError:  # needed by the libraries below
        for name in ("libgcc_s.so.1", "libstdc++.so.6"):
            ctypes.CDLL(str(root / "lib" / "compiler" / name), ctypes.RTLD_GLOBAL)
    return [find(root, library) for library in wanted(packed(root))]


def glibc(about):
    """Returns a line about glibc, and whether it is new enough."""
    here = platform.libc_ver()[1]
    enough = bool(here) and numbers(here) >= numbers(about["glibc"])
    return f"glibc {here or 'missing'}: {about['glibc']} is needed", enough


def folders(root, found):
    """Returns LD_LIBRARY_PATH: the archive's own folder, those of the libraries found, and the inherited ones. The
    archive's C++ runtime is used only if the system's is missing or too old, because it needs a newer glibc than the
    rest."""
    all_folders = [root / "lib", *(one.path.parent for one in found if one.usable and one.path.is_absolute())]
    inherited = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    path = ":".join(dict.fromkeys([*map(str, all_folders), *inherited]))
    tried = subprocess.run([root / "build" / "ddlbench", "--version"], capture_output=True, text=True, check=False,
                           env={**os.environ, "LD_LIBRARY_PATH": path})
    lacks = "libstdc++" in tried.stderr or "libgcc_s" in tried.stderr
    return f"{root / 'lib' / 'compiler'}:{path}" if lacks else path


def main():
    root = Path(sys.argv[1])
    found = find_all(root)
    if "--folders" in sys.argv:
        print(folders(root, found))
        return 0
    said, enough = glibc(packed(root))
    print(said, *(one.line() for one in found), sep="\n")
    return 0 if enough and all(one.usable for one in found) else 4


if __name__ == "__main__":
    sys.exit(main())
