"""Which adapter reads what is left of a damaged library."""

from octavo.stores.sqlite.salvage import Salvaged
from octavo.stores.sqlite.salvage import salvage as salvage_file

__all__ = ("Salvaged", "salvage_file")
