"""Names the SQLite salvage as the reader of damaged libraries."""

from octavo.stores.sqlite.salvage import Salvaged
from octavo.stores.sqlite.salvage import salvage as salvage_file

__all__ = ("Salvaged", "salvage_file")
