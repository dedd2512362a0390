"""The process in which files of strangers are converted, and what it is kept from."""
