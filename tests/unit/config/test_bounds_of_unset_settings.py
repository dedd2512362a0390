"""Settings that may be unset keep their bounds where they are set."""

from __future__ import annotations

import pytest

from octavo.config.layered_config_loading import load_isolated
from octavo.errors import ConfigurationError


@pytest.mark.parametrize(("name", "value"), [("oauth.rate", 0), ("retrieval.rrf_dense_weight", -1.0)])
def test_a_setting_that_may_be_unset_is_refused_beyond_its_bounds(name: str, value: float) -> None:
    with pytest.raises(ConfigurationError, match=name):
        load_isolated({name: value}, {})
