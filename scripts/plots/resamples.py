"""The resamples of a bootstrap, the same that ddlbench draws (bench/statistics/bootstrap.h)."""

from functools import lru_cache

import numpy

RESAMPLES, FEWEST, OPERATIONS = 2000, 200, 20_000_000
SEED, SHUFFLE = 1, 1
LOW = numpy.uint64(0xFFFFFFFF)


def philox(key, high, low):
    """Returns the four words of Philox4x32-10 as 64-bit numbers. `high` and `low` are arrays of 64-bit counters."""
    def word(value):
        return numpy.asarray(value, dtype=numpy.uint64)

    half = numpy.uint64(32)
    high, low = word(high), word(low)
    c0, c1, c2, c3 = low & LOW, low >> half, high & LOW, high >> half
    k0, k1 = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        p0, p1 = c0 * word(0xD2511F53), c2 * word(0xCD9E8D57)
        c0, c1, c2, c3 = (p1 >> half) ^ c1 ^ word(k0), p1 & LOW, (p0 >> half) ^ c3 ^ word(k1), p0 & LOW
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0, c1, c2, c3


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


@lru_cache(maxsize=None)
def drawn(count):
    """Returns the indices of all resamples of `count` values: one row for each resample."""
    first, second, _, _ = philox(SEED, [SHUFFLE], [fnv1a("bootstrap")])
    key = int(first[0]) << 32 | int(second[0])
    resamples = min(max(OPERATIONS // (count * (count + 1) // 2), FEWEST), RESAMPLES)
    high, low = numpy.meshgrid(numpy.arange(resamples), numpy.arange(count), indexing="ij")
    return (philox(key, high, low)[0] % numpy.uint64(count)).astype(int)
