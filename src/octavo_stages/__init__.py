"""Stages that no built-in profile has, and forms of vector indexes that few libraries need."""
