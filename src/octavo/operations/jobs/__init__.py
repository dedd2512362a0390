"""Queued work: the jobs that wait, their retries and their removal, and doing them."""
