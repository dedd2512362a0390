"""Pure functions over plain values: no file, no clock, no database, no model."""
