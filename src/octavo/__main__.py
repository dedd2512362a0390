"""`python -m octavo`."""

from octavo.interfaces.cli.main import main

main()
