"""The examples in the docstrings."""

import doctest
import importlib
import pkgutil
import sys

import pytest
import tabiya

#: Modules that need libraries beyond NumPy, or start a program when they are imported.
LEFT_OUT = {"tabiya.__main__", "tabiya.data.torch"}
MODULES = [m.name for m in pkgutil.walk_packages(tabiya.__path__, "tabiya.") if m.name not in LEFT_OUT]


@pytest.mark.parametrize("name", ["tabiya", *MODULES])
def test_examples_of(name, monkeypatch):
    # Another test may have imported PyTorch; then some results would be its tensors.
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner()
    tests = finder.find(module, name)
    if name == "tabiya._tabiya":
        # The finder looks for classes of the module by their `__module__`, which is the public one.
        tests = [test for cls in vars(module).values() if isinstance(cls, type) for test in finder.find(cls, cls.__name__, module=False)]
        assert any(test.examples for test in tests)
    for test in tests:
        test.globs.update(vars(module))
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
