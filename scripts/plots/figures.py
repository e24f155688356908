"""The figures: their names on the command line, and the functions that draw them."""

from budget import budget
from learning import learning
from memory import memory
from prediction import prediction
from scaling import epoch_time, speedup, weak_scaling
from utilisation import utilisation

FIGURES = {
    "epoch_time": epoch_time,
    "speedup": speedup,
    "weak_scaling": weak_scaling,
    "memory": memory,
    "learning": learning,
    "budget": budget,
    "prediction": prediction,
    "utilisation": utilisation,
}
