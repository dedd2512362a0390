"""Models made from a library's own content: pairs, training, export. Torch is imported by what trains, never here."""
