"""The reading flow: a question → hits that cite exactly."""
