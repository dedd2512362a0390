"""Octavo inside other people's frameworks: each module is imported where its framework is used, and never by Octavo."""
