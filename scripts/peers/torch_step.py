"""Times training steps in PyTorch in this process, for one way of running it, and prints a line of JSON. Started by
torch_bench, torch_ddp_bench and torch_pipeline_bench. versus/sides.py makes its argument."""

import json
import os
import sys


def measure(told):
    if told["schedule"]:
        from torch_peer import pipeline  # which old versions of PyTorch lack
        return pipeline.measure(told)
    from torch_peer import speed
    return speed.measure(told)


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))), flush=True)
    os._exit(0)  # skips gloo's shutdown, which in PyTorch 1.13 may never return if the other rank is gone
