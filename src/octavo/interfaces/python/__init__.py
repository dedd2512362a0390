"""The Python API: what an application or an agent loop embeds. `octavo` itself names what is public of it."""
