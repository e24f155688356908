"""The workloads that both sides train: the same networks, batches and optimizers."""

from dataclasses import dataclass, field, replace

SGD = {"kind": "sgd", "learning_rate": 0.001, "momentum": 0.9}
ADAMW = {"kind": "adamw", "learning_rate": 0.0001}


@dataclass(frozen=True)
class Workload:
    model: str
    batch: int
    units_per_sample: int
    unit: str
    optimizer: dict
    options: dict  # for ddlbench's model
    settings: dict = field(default_factory=dict)  # for ddlbench's strategy
    batch_norm: bool = False

    @property
    def settings_text(self):
        said = {name: ",".join(value) if isinstance(value, list) else value for name, value in self.settings.items()}
        return "; ".join(name if value is True else f"{name} {value}" for name, value in said.items())

    @property
    def is_text(self):
        return self.unit == "tokens"

    def ours(self):
        return {"kind": self.model, **self.options}

    def dataset(self):
        """Returns a data set of two batches in memory, so that an epoch is as short as possible."""
        samples = {"train_samples": 2 * self.batch, "validation_samples": self.batch}
        if self.is_text:
            return {"kind": "synthetic-text", "classes": 50257, "sequence_length": self.units_per_sample, **samples}
        return {"kind": "synthetic", "shape": "3x224x224", "classes": 1000, "keep": True, **samples}

    def over(self, ranks):
        """Returns the workload as PyTorch's DDP computes it: a batch norm uses one rank's part of the batch."""
        if not self.batch_norm:
            return self
        return replace(self, options={**self.options, "samples_per_statistic": self.batch // ranks})

    def rate(self, step_seconds):
        return self.batch * self.units_per_sample / step_seconds


# Neither side uses dropout. PyTorch draws its masks on one thread, which would be another comparison.
UNDROPPED = {"dropout": 0.0}
ALL = {workload.model: workload for workload in (
    Workload("alexnet", 8, 1, "images", SGD, UNDROPPED),
    Workload("vgg16", 8, 1, "images", SGD, UNDROPPED, {"update_in_backward": True}),
    Workload("resnet50", 8, 1, "images", SGD, {}, {"recompute": ["batch_norm"]}, batch_norm=True),
    Workload("gpt2-small", 4, 256, "tokens", ADAMW, UNDROPPED,
             {"recompute": ["gelu", "layer_norm"], "update_in_backward": True}))}
PRECISIONS = ("fp32", "bf16")
