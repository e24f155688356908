#!/usr/bin/env python3
"""Writes pillow_files.h: small image files, and hashes of the results of Pillow and torchvision for them.

/usr/bin/python3 tests/workloads/images/pillow_files.py > tests/workloads/images/pillow_files.h
(made with Pillow 9.4, libjpeg-turbo 2.1.5 and torchvision 0.14; Pillow 12.0 gives the same, 13.0 resizes differently)
"""

import io

import numpy
import torchvision.transforms as transforms
from PIL import Image

random = numpy.random.RandomState(1)


def photo(width, height):
    coarse = Image.fromarray((random.rand(height // 8 + 2, width // 8 + 2, 3) * 255).astype("uint8"))
    smooth = numpy.asarray(coarse.resize((width, height), Image.BICUBIC)).astype(int)
    grainy = smooth + random.randint(-12, 13, smooth.shape)
    return Image.fromarray(grainy.clip(0, 255).astype("uint8"))


def fnv1a(data):
    state = 0xCBF29CE484222325
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"0x{state:016x}"


def saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def array(name, data):
    lines = [", ".join(str(b) for b in data[i : i + 32]) for i in range(0, len(data), 32)]
    return f"inline const std::vector<std::uint8_t> {name}{{\n" + ",\n".join(lines) + "};\n"


def main():
    large, small = photo(61, 47), photo(13, 9)
    transparent = small.copy().convert("RGBA")
    transparent.putalpha(small.convert("L"))
    files = {
        "jpeg_420": saved(large, "JPEG", quality=60, subsampling=2),
        "jpeg_444_progressive": saved(large, "JPEG", quality=50, subsampling=0, progressive=True),
        "jpeg_grey": saved(small.convert("L"), "JPEG"),
        "jpeg_cmyk": saved(small.convert("CMYK"), "JPEG"),
        "png_rgb": saved(small, "PNG"),
        "png_alpha": saved(transparent, "PNG"),
        "png_grey_alpha": saved(transparent.convert("LA"), "PNG"),
        "png_one_bit": saved(small.convert("1"), "PNG"),
        "png_palette": saved(small.convert("P"), "PNG", transparency=3),
    }
    print(f"#pragma once\n\n// Written by pillow_files.py, which says how.\n")
    print("#include <cstdint>\n#include <string>\n#include <vector>\n\nnamespace ddlbench::workloads::pillow {\n")
    print("// clang-format off")
    for name, data in files.items():
        print(array(name, data))

    print("struct File {\n  std::string name;\n  const std::vector<std::uint8_t>& bytes;\n  int width;\n  int height;")
    print('  std::uint64_t rgb;  ///< fnv1a of convert("RGB")\'s bytes\n};')
    print("inline const std::vector<File> files{")
    decoded = {name: Image.open(io.BytesIO(data)).convert("RGB") for name, data in files.items()}
    for name, image in decoded.items():
        print(f'    {{"{name}", {name}, {image.width}, {image.height}, {fnv1a(image.tobytes())}}},')
    print("};\n")

    print("/// crop((left, top, left + width, top + height)).resize((to_width, to_height), BILINEAR) of jpeg_420")
    print("struct Resized {\n  int left, top, width, height, to_width, to_height;\n  std::uint64_t rgb;\n};")
    print("inline const std::vector<Resized> resized{")
    for box in ((0, 0, 61, 47, 32, 32), (0, 0, 61, 47, 7, 5), (5, 3, 40, 44, 32, 32), (17, 20, 9, 11, 32, 24),
                (60, 46, 1, 1, 4, 4), (0, 0, 61, 47, 61, 47), (2, 1, 50, 45, 50, 20), (30, 0, 31, 47, 1, 1)):
        left, top, width, height, to_width, to_height = box
        image = decoded["jpeg_420"].crop((left, top, left + width, top + height))
        image = image.resize((to_width, to_height), Image.BILINEAR)
        print(f"    {{{', '.join(map(str, box))}, {fnv1a(image.tobytes())}}},")
    print("};\n")

    print("/// Resize(shorter_side), CenterCrop(size) of jpeg_420")
    print("struct Centre {\n  int shorter_side, size;\n  std::uint64_t rgb;\n};")
    print("inline const std::vector<Centre> centres{")
    for shorter_side, size in ((36, 32), (47, 47), (100, 64), (9, 8), (33, 32)):
        image = transforms.CenterCrop(size)(transforms.Resize(shorter_side)(decoded["jpeg_420"]))
        print(f"    {{{shorter_side}, {size}, {fnv1a(image.tobytes())}}},")
    print("};\n")

    print("/// Of Resize(9), CenterCrop(8), ToTensor(), Normalize(…) of jpeg_420: the values at 0, 77, 191 of 3x8x8")
    normalised = transforms.Compose([
        transforms.Resize(9), transforms.CenterCrop(8), transforms.ToTensor(),
        transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])(decoded["jpeg_420"]).flatten()
    values = ", ".join(float(normalised[i]).hex() + "F" for i in (0, 77, 191))
    print(f"inline const std::vector<float> normalised{{{values}}};")
    print("// clang-format on\n\n}  // namespace ddlbench::workloads::pillow")


main()
