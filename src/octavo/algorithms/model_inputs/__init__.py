"""Texts on their way to a model: prompt files, quotations, question marks, and what its vocabulary covers."""
