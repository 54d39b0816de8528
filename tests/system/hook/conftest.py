import pathlib

import pytest

from limits_tools import Tools


@pytest.fixture(name="tools", scope="module")
def fixture_tools(pytestconfig, tmp_path_factory):
    """The hook, and programs that set limits for it."""
    return Tools(pathlib.Path(pytestconfig.option.hook), tmp_path_factory.mktemp("limits"))
