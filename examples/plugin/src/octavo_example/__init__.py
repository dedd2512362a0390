"""An example of a plugin for Octavo: a converter, a stage and an importer."""
