"""Prints the measurement of torch_peer/photos.py as a line of JSON. Started by loader_bench."""

import json
import sys

from torch_peer import photos

if __name__ == "__main__":
    print(json.dumps(photos.measure(json.loads(sys.argv[1]))))
