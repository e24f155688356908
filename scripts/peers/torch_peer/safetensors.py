"""The safetensors format, implemented separately: 8 bytes of little-endian header length, the header as JSON, the
tensors' bytes. So a file that ddlbench wrote is read by other code than ddlbench's own."""

import json
import struct

import numpy

TYPES = {"F64": numpy.float64, "F32": numpy.float32, "F16": numpy.float16, "I64": numpy.int64, "I32": numpy.int32}


def widened(bits):
    """Returns bf16, which is the upper half of an f32, as f32."""
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


def read(path):
    """Returns arrays by name, bf16 as f32."""
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        bytes_of = data[begin:end]
        if entry["dtype"] == "BF16":
            values = widened(numpy.frombuffer(bytes_of, numpy.uint16))
        else:
            values = numpy.frombuffer(bytes_of, TYPES[entry["dtype"]])
        tensors[name] = values.reshape(entry["shape"])
    return tensors


def write(path, tensors):
    names = {numpy.dtype(kind): name for name, kind in TYPES.items()}
    header, at = {}, 0
    for name, values in tensors.items():
        header[name] = {"dtype": names[values.dtype], "shape": list(values.shape),
                        "data_offsets": [at, at + values.nbytes]}
        at += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for values in tensors.values():
            file.write(numpy.ascontiguousarray(values).tobytes())
