"""The console script, and `python -m octavo`."""

import gc

# A start makes some hundred thousand objects that all stay: it is not worth looking for garbage as often among them.
gc.set_threshold(200_000)

from octavo.interfaces.cli.main import main  # noqa: E402

if __name__ == "__main__":
    main()
