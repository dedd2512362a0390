"""Runs of indexing: started, watched for, leased, and what follows them."""
