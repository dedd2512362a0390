"""`python -m recto`."""

from recto.interfaces.cli.main import main

main()
