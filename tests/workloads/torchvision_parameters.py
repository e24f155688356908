"""Prints names and shapes of the parameters of torchvision's models, in order, as in torchvision_parameters.txt.

    /usr/bin/python3 tests/workloads/torchvision_parameters.py > tests/workloads/torchvision_parameters.txt
"""

import torchvision

for name in ["alexnet", "vgg16", "resnet18", "resnet50"]:
    for parameter, value in getattr(torchvision.models, name)().named_parameters():
        print(name, parameter, "x".join(str(size) for size in value.shape))
for name in ["resnet34", "resnet101", "resnet152"]:
    print(name, "total", sum(value.numel() for value in getattr(torchvision.models, name)().parameters()))
