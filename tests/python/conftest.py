"""Tests marked `full` need large libraries (PyTorch, Ray, wandb, datasets): `pytest --full` runs them too."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run the tests that need large libraries too")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: needs large libraries")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--full"):
        for item in items:
            if item.get_closest_marker("full"):
                item.add_marker(pytest.mark.skip(reason="only with --full"))
