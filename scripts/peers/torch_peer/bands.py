"""The band of some trainings' losses, in which another of the same kind lies.

Trainings from other initial weights go apart by chance, so means of WINDOW steps that follow one another are compared. At
each the band is what the given trainings span, wider on both sides by the margin: the most that they span anywhere within
NEAR steps of it. Three normal draws span 1.7 deviations in the mean, and the most of the four or five windows near that
have no step in common 2.7; so the band reaches 0.85 + 2.7 = 3.5 deviations from the mean of the three, from which a
fourth draw deviates by √(4/3) of one: it is 3 of its own away, and is missed by chance once in some 400 windows."""

WINDOW = 5
NEAR = 10
FLOOR = 0.01  # of the mean loss: the least margin


def means(losses):
    """Of steps i to i + WINDOW - 1, for each i."""
    return [sum(losses[i:i + WINDOW]) / WINDOW for i in range(len(losses) - WINDOW + 1)]


def band(trainings):
    """[(low, high)] by window, of the losses of several trainings."""
    windows = list(zip(*map(means, trainings)))
    spans = [max(window) - min(window) for window in windows]
    found = []
    for i, window in enumerate(windows):
        least = FLOOR * sum(window) / len(window)
        margin = max(least, *spans[max(0, i - NEAR):i + NEAR + 1])
        found.append((min(window) - margin, max(window) + margin))
    return found


def outside(losses, limits):
    """Windows, by their first step, in which `losses` leave the band. That something is not a number is outside."""
    return [i for i, (mean, (low, high)) in enumerate(zip(means(losses), limits)) if not low <= mean <= high]
