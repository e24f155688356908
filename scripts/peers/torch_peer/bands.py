"""The band of some trainings' losses, in which another training of the same kind lies.

Trainings from different initial weights diverge by chance, so means over WINDOW consecutive steps are compared. At each
window the band is the span of the given trainings, widened on both sides by a margin: the largest span of any window
within NEAR steps. Three normal draws span 1.7 deviations on average, and the largest span of the four or five disjoint
windows nearby is 2.7 on average. So the band reaches 0.85 + 2.7 = 3.5 deviations from the mean of the three. A fourth
draw differs from that mean with a deviation of √(4/3). The limit is 3 of these away, and is exceeded by chance once in
some 400 windows."""

WINDOW = 5
NEAR = 10
FLOOR = 0.01  # of the mean loss: the smallest margin


def means(losses):
    """Returns the means of steps i to i + WINDOW - 1, for each i."""
    return [sum(losses[i:i + WINDOW]) / WINDOW for i in range(len(losses) - WINDOW + 1)]


def band(trainings):
    """Returns [(low, high)] by window, from the losses of several trainings."""
    windows = list(zip(*map(means, trainings)))
    spans = [max(window) - min(window) for window in windows]
    found = []
    for i, window in enumerate(windows):
        least = FLOOR * sum(window) / len(window)
        margin = max(least, *spans[max(0, i - NEAR):i + NEAR + 1])
        found.append((min(window) - margin, max(window) + margin))
    return found


def outside(losses, limits):
    """Returns the windows, by their first step, in which `losses` leave the band. NaN is outside."""
    return [i for i, (mean, (low, high)) in enumerate(zip(means(losses), limits)) if not low <= mean <= high]
