"""Times training steps in PyTorch, one way of running it, in turns: prepares it, prints a line of JSON, and then, for each
line of standard input, which says how many seconds, takes steps for so long and prints another. So another program can be
measured between two turns without a new start, and a new compilation, for each. Its argument is that of torch_step.py."""

import json
import os
import sys

from torch_peer import speed

if __name__ == "__main__":
    told = json.loads(sys.argv[1])
    turns = speed.Turns(told)
    print(json.dumps({"torch": speed.torch.__version__, "step_seconds": turns.step_seconds}), flush=True)
    for line in sys.stdin:
        print(json.dumps(turns.take(float(line))), flush=True)
    os._exit(0)
