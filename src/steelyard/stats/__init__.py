"""Statistics over plain arrays: intervals, comparisons, corrections and agreement. Pure: no clock, no I/O, a
seed."""
