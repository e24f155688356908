"""Times training steps in PyTorch in turns, for one way of running it. Prepares the training and prints a line of JSON.
For each line of standard input, a number of seconds, it then takes steps for that long and prints another line. So
another program can be measured between two turns without a new start and compilation for each. Its argument is that of
torch_step.py."""

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
