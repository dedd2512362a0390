"""The profiles that ship with Octavo, in modules by what they search: each is imported when one of its profiles is."""
