"""Retrieval evaluation: from one event to its metrics, from many to numbers with intervals. Pure: no clock,
no I/O."""
