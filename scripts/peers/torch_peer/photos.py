"""Measures photographs per second of torchvision's pipeline on one thread: decoding by Pillow, random crop, mirroring,
normalisation."""

import time
from pathlib import Path

import torch
from torchvision import datasets, transforms


def measure(told):
    """Does not count the first epoch, which brings the files into the page cache."""
    torch.set_num_threads(1)
    folder = Path(told["folder"])
    pipeline = transforms.Compose([
        transforms.RandomResizedCrop(told["size"]),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ])
    images = datasets.ImageFolder(str(folder / "train" if (folder / "train").is_dir() else folder), pipeline)
    loader = torch.utils.data.DataLoader(images, told["batch"], shuffle=True, num_workers=0)
    samples, began = 0, None
    while began is None or time.perf_counter() - began < told["seconds"]:
        read = sum(len(labels) for _, labels in loader)
        if began is None:
            began = time.perf_counter()
        else:
            samples += read
    took = time.perf_counter() - began
    return {"samples": samples, "seconds": took, "samples_per_second": samples / took}
