"""Made-up audits for all tests of the report."""

from __future__ import annotations

import pytest
from tests.oracles.made_audit import Made, make, make_hostile


@pytest.fixture(scope="session")
def made() -> Made:
    return make(400)


@pytest.fixture
def hostile() -> Made:
    return make_hostile()
