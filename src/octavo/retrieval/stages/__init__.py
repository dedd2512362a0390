"""The stages a profile can name, one file per idea."""
