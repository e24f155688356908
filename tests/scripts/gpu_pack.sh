#!/usr/bin/env bash
# An archive of scripts/gpu_pack builds and runs where there is nothing but a toolkit, a compiler, CMake and Python: in
# a root of its own, put together from those packages' files, without network.
#
#   tests/scripts/gpu_pack.sh [ARCHIVE | -] [OPTION of unpack-and-build]…
#
# Without ARCHIVE, or with -, one is made. Exits with 77 and a word where such a root cannot be made.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

skip() {
  echo "gpu_pack: skipped: $1" >&2
  exit 77
}

[ "$(id -u)" -eq 0 ] || skip "only root can make a root of its own"
unshare --mount --net --pid --fork true 2>/dev/null || skip "namespaces cannot be made here"
for tool in apt-cache dpkg-query xz ip; do
  command -v "$tool" >/dev/null 2>&1 || skip "there is no command $tool"
done
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc) || skip "there is no CUDA toolkit"
toolkit=$({ "$nvcc" -v __nothing 2>&1 || true; } | sed -n 's/^#\$ TOP=//p')
toolkit=$(realpath "$toolkit")
[ -e "$toolkit/include/cudnn.h" ] && [ -e "$toolkit/include/nccl.h" ] || skip "the toolkit has no cuDNN or NCCL"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archive=${1:--}
[ $# -eq 0 ] || shift
if [ "$archive" = - ]; then
  archive="$work/ddlbench-gpu.tar.xz"
  "$source/scripts/gpu_pack" "$archive"
fi

visible=(bash coreutils findutils grep gzip sed tar xz-utils g++ make cmake python3 libc-bin)
dpkg-query --show "${visible[@]}" >/dev/null 2>&1 || skip "not all of these are installed: ${visible[*]}"
root="$work/root"
mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},etc,proc,sys,dev/shm,tmp,usr/local/cuda}
ln -s usr/bin usr/sbin usr/lib usr/lib64 "$root"
mapfile -t packages < <(apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks \
  --no-replaces --no-enhances "${visible[@]}" | grep '^[a-z0-9]' | sort -u)
for stray in libdnnl2 libmpich12 mpich nlohmann-json3-dev catch2 ninja-build zlib1g-dev libjpeg62-turbo-dev libpng-dev libre2-dev libre2-9 git; do
  case " ${packages[*]} " in *" $stray "* | *" $stray:"*) echo "gpu_pack: $stray slipped in" >&2 && exit 1 ;; esac
done
{ dpkg-query --listfiles "${packages[@]}" 2>/dev/null || true; } | # names of virtual packages are among them
  grep -vE '^$|^/usr/share/(doc|man|locale|info)/' | sort -u |
  while IFS= read -r file; do
    if [ -e "$file" ] && { [ ! -d "$file" ] || [ -L "$file" ]; }; then printf '%s\0' "${file#/}"; fi
  done |
  tar --create --null --directory / --files-from=- | tar --extract --directory "$root"
ln -sf bash "$root/usr/bin/sh"
ln -sf g++ "$root/usr/bin/c++"
ln -sf gcc "$root/usr/bin/cc"
touch "$root"/dev/{null,zero,random,urandom}
echo "127.0.0.1 localhost $(hostname)" >"$root/etc/hosts"
cp "$archive" "$root/tmp/ddlbench-gpu.tar.xz"

cat >"$root/tmp/inside" <<'END'
set -eu
export PATH=/usr/local/cuda/bin:/usr/bin:/usr/sbin HOME=/tmp
cd /tmp
tar -xf ddlbench-gpu.tar.xz
cd ddlbench-gpu
if ! ./unpack-and-build --target ddlbench "$@" >/tmp/said 2>&1; then
  tail -n 60 /tmp/said
  exit 1
fi
grep "With CUDA" /tmp/said || echo "without CUDA, as was asked"
export PATH="$PWD/deps/bin:$PATH"
build/ddlbench --version
for transport in threads mpi; do
  build/ddlbench --config configs/quickstart.json --set /workload/dataset/path=data/fashion-mnist \
    --set /training/epochs=1 --set /workload/dataset/train_samples=640 --set /measure/steps=2 --set /measure/repetitions=1 \
    --set /measure/verify_steps=1 --set /measure/timeout_seconds=600 --set /devices/ranks=[2] \
    --set "/devices/transport=$transport" --filter ddp --output "/tmp/$transport" --quiet
done
END

# shellcheck disable=SC2016  # the inner shell's own
unshare --mount --net --pid --fork bash -euc '
  root=$1 toolkit=$2
  shift 2
  mount --make-rprivate /
  ip link set lo up
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount -t tmpfs tmpfs "$root/dev/shm"
  for device in null zero random urandom; do mount --bind "/dev/$device" "$root/dev/$device"; done
  mount --bind "$toolkit" "$root/usr/local/cuda"
  mount -o remount,bind,ro "$root/usr/local/cuda"
  exec chroot "$root" /usr/bin/env -i /usr/bin/bash /tmp/inside "$@"
' inner "$root" "$toolkit" "$@"
