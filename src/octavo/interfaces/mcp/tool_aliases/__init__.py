"""Tools as other programs name them, for clients that were written for those: a table for each program."""
