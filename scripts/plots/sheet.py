"""What the functions that draw figures get: the points of all cases, their facets and looks, and the width."""

from facets import Facets, arranged, models, shared_conditions
from layout import most_columns
from picture import Picture
from points import points_of
from style import Looks, pretty


class Sheet:
    def __init__(self, sweep_, width):
        self.sweep, self.width = sweep_, width
        self.points = points_of(sweep_.cases)
        self.facets = Facets(self.points)
        self.looks = Looks([case.strategy for case in sweep_.cases])

    def picture(self, name, what, points=None):
        points = points or self.points
        return Picture(name, f"{what}: {models(points)}", shared_conditions(points), self.width)

    def places(self, facets, most=None):
        return arranged(facets, most or most_columns(self.width))

    def label(self, strategy):
        """Returns the strategy's name, with its promise if its steps do other work than those of one rank."""
        promises = {case.text("promise") for case in self.sweep.cases if case.strategy == strategy} - {"", "exact"}
        return ", ".join([pretty(strategy), *sorted(promises)])

    def scale_of(self, points):
        """Returns what panels have in common that can share an axis of times."""
        return models(points)
