"""The figures: their names on the command line, and the functions that draw them."""

from against_ranks import epoch_time, speedup
from bars import budget, memory
from learning import learning
from prediction import prediction
from utilisation import utilisation

FIGURES = {
    "epoch_time": epoch_time,
    "speedup": speedup,
    "memory": memory,
    "learning": learning,
    "budget": budget,
    "prediction": prediction,
    "utilisation": utilisation,
}
