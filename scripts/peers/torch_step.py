"""Times training steps in PyTorch, one way of running it in this process, and prints a line of JSON. Started by torch_bench
and torch_ddp_bench; what its argument holds is in versus/sides.py."""

import json
import os
import sys

from torch_peer import speed

if __name__ == "__main__":
    print(json.dumps(speed.measure(json.loads(sys.argv[1]))), flush=True)
    os._exit(0)  # not through gloo's end: where the other rank is gone, that of PyTorch 1.13 may never return
