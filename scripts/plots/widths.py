"""The widths of printed figures, in inches."""

COLUMN, PAGE = 3.4, 7.0  # of journals with two columns
NAMED = {"column": COLUMN, "page": PAGE}
NARROWEST, WIDEST = 2.5, 20.0
