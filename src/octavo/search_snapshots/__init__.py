"""Accelerators derived from a library: lexical segments and quantised vector shards, immutable and checksummed."""
