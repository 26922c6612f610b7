"""The examples of docs/python.md, the docstrings and examples/tour.ipynb do what they show."""

import doctest
import importlib
import json
import os
import tempfile
import unittest

import notebook
import tlu
from common import SOURCE

# The package exports functions with the names of some modules.
MODULES = [importlib.import_module(f"tlu.{name}") for name in ("online", "stream", "models", "library", "records")]


class DocsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        os.symlink(os.path.join(SOURCE, "examples"), "examples")

    def test_page(self):
        failed, tried = doctest.testfile(os.path.join(SOURCE, "docs", "python.md"), module_relative=False,
                                         optionflags=doctest.NORMALIZE_WHITESPACE)
        self.assertGreater(tried, 30)
        self.assertEqual(failed, 0)

    def test_docstrings(self):
        tried = 0
        for module in MODULES:
            result = doctest.testmod(module, extraglobs={"tlu": tlu})
            self.assertEqual(result.failed, 0)
            tried += result.attempted
        self.assertGreater(tried, 3)

    def test_notebook(self):
        with open(os.path.join(SOURCE, "examples", "tour.ipynb")) as file:
            tour = json.load(file)
        code = [cell for cell in tour["cells"] if cell["cell_type"] == "code"]
        stored = [cell["outputs"] for cell in code]
        results = notebook.run(tour)
        self.assertGreater(len(results), 8)
        for cell, expected, found in zip(code, stored, results):
            self.assertEqual(notebook.texts(expected), notebook.texts(found), "".join(cell["source"]))
        self.assertTrue(any("image/svg+xml" in output.get("data", {}) for outputs in results for output in outputs))

    def test_notebook_in_jupyter(self):
        try:
            import ipykernel  # noqa: F401
            import nbclient
            import nbformat
        except ImportError:
            self.skipTest("nbclient or ipykernel is not there")
        tour = nbformat.read(os.path.join(SOURCE, "examples", "tour.ipynb"), as_version=4)
        nbclient.NotebookClient(tour, timeout=60).execute()


if __name__ == "__main__":
    unittest.main()
