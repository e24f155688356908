#!/usr/bin/env bash
# Rehearses an archive of scripts/gpu_pack where there is nothing but Python and wheels of NVIDIA's libraries: in a
# separate root, made of those packages' files, without network, compiler and toolkit.
#
#   tests/scripts/gpu_pack.sh BUILD     packs what that build folder has
#   tests/scripts/gpu_pack.sh           packs what scripts/gpu_pack builds
#
# Exits with 77 and a message if such a root cannot be made.
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
libraries=$(realpath "$toolkit/lib64")
for part in cudnn nccl cublasLt nvrtc; do
  ls "$libraries/lib$part.so."* >/dev/null 2>&1 || skip "the toolkit has no lib$part"
done
visible=(bash coreutils tar xz-utils python3 libc-bin)
dpkg-query --show "${visible[@]}" >/dev/null 2>&1 || skip "not all of these are installed: ${visible[*]}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
began=$SECONDS
"$source/scripts/gpu_pack" ${1+--build "$1"} "$work/ddlbench-gpu.tar.xz"

root="$work/root"
mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},etc,proc,sys,dev/shm,tmp,opt/libraries}
ln -s usr/bin usr/sbin usr/lib usr/lib64 "$root"
mapfile -t packages < <(apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks \
  --no-replaces --no-enhances "${visible[@]}" | grep '^[a-z0-9]' | sort -u)
for stray in libdnnl2 libfmt9 libmpich12 libre2-9 libutf8proc2 libjpeg62-turbo libpng16-16 libgomp1 cmake g++ git; do
  case " ${packages[*]} " in *" $stray "* | *" $stray:"*) echo "gpu_pack: $stray slipped in" >&2 && exit 1 ;; esac
done
{ dpkg-query --listfiles "${packages[@]}" 2>/dev/null || true; } | # names of virtual packages are included
  grep -vE '^$|^/usr/share/(doc|man|locale|info)/' | sort -u |
  while IFS= read -r file; do
    if [ -e "$file" ] && { [ ! -d "$file" ] || [ -L "$file" ]; }; then printf '%s\0' "${file#/}"; fi
  done |
  tar --create --null --directory / --files-from=- | tar --extract --directory "$root"
ln -sf bash "$root/usr/bin/sh"
touch "$root"/dev/{null,zero,random,urandom}
# A folder for each part, as in wheels.
for part in cudnn nccl cublas:cu13 cublasLt:cu13 nvrtc:cu13; do
  wheel="$root/usr/lib/python3/dist-packages/nvidia/${part#*:}/lib"
  mkdir -p "$wheel"
  for library in "$libraries/lib${part%:*}"[._-]*so.*; do ln -s "/opt/libraries/${library##*/}" "$wheel"; done
done
cp "$work/ddlbench-gpu.tar.xz" "$root/tmp"

cat >"$root/tmp/inside" <<'END'
set -eu
export PATH=/usr/bin:/usr/sbin HOME=/tmp
cd /tmp
tar -xf ddlbench-gpu.tar.xz
ddlbench-gpu/run && exit 1 # there is no driver
ddlbench-gpu/run ddlbench --version
ddlbench-gpu/scripts/gpu_check --rehearse --output /tmp/out
ls -l /tmp/out
test "$(ls /tmp/out | wc -l)" = 11 # a file of figures and a log of each slot, and the environment
[[ $(</tmp/out/environment.json) == *'"libraries.cuDNN.loaded": "9.'* ]]
cd ddlbench-gpu
./run ddlbench --config configs/text.json --set /workload/dataset/path=data/GPL-3 --set /training/epochs=1 --set /measure/interleave=false \
  --set /measure/steps=2 --set /measure/repetitions=1 --set /measure/verify_steps=1 --filter single --output /tmp/text --quiet
END

# shellcheck disable=SC2016  # the inner shell's own
unshare --mount --net --pid --fork bash -euc '
  root=$1
  mount --make-rprivate /
  ip link set lo up
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount -t tmpfs tmpfs "$root/dev/shm"
  for device in null zero random urandom; do mount --bind "/dev/$device" "$root/dev/$device"; done
  mount --bind "$2" "$root/opt/libraries"
  mount -o remount,bind,ro "$root/opt/libraries"
  exec chroot "$root" /usr/bin/env -i /usr/bin/bash /tmp/inside
' inner "$root" "$libraries"
echo "gpu_pack: packed and rehearsed in $((SECONDS - began)) s"
