"""The type stubs name what is there, with its arguments; mypy agrees where it is installed."""

import ast
import inspect
import os
import subprocess
import sys
import tempfile
import unittest

import tlu
from tlu import _tlu

PACKAGE = os.path.dirname(tlu.__file__)


def stub(name):
    with open(os.path.join(PACKAGE, name)) as file:
        return ast.parse(file.read())


def declared(body):
    names = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.setdefault(node.name, node)
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = node
    return names


def members(tree, node):
    """What a class of a stub declares, its bases included."""
    names = {}
    classes = declared(tree.body)
    for base in node.bases:
        if isinstance(base, ast.Name) and isinstance(classes.get(base.id), ast.ClassDef):
            names.update(members(tree, classes[base.id]))
    return {**names, **declared(node.body)}


def arguments(node):
    names = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
    return [name for name in names if name not in ("self", "cls")]


class StubTest(unittest.TestCase):
    def test_every_public_name_is_in_the_stub(self):
        names = declared(stub("__init__.pyi").body)
        for name in tlu.__all__:
            self.assertIn(name, names)
        names = declared(stub("_tlu.pyi").body)
        for name in dir(_tlu):
            if not name.startswith("_"):
                self.assertIn(name, names)

    def test_members_and_arguments(self):
        for module, name in (tlu, "__init__.pyi"), (_tlu, "_tlu.pyi"):
            tree = stub(name)
            names = declared(tree.body)
            for name, node in names.items():
                if name.startswith("_") or not hasattr(module, name):
                    continue
                thing = getattr(module, name)
                if isinstance(node, ast.FunctionDef) and module is tlu:
                    self.compare(thing, node)
                if not isinstance(node, ast.ClassDef):
                    continue
                own = members(tree, node)
                for member in own:
                    if member.startswith("__") or isinstance(own[member], ast.AnnAssign):
                        continue
                    # Some classifiers have no scores; they do not have the method then.
                    self.assertTrue(hasattr(thing, member) or hasattr(tlu.Classifier, member), f"{name}.{member} is in the stub alone")
                    if hasattr(thing, member) and isinstance(own[member], ast.FunctionDef) and inspect.isfunction(getattr(thing, member)):
                        self.compare(getattr(thing, member), own[member])
                if module is tlu and "__getattr__" not in own:
                    for member in vars(thing):
                        if not member.startswith("_"):
                            self.assertIn(member, own, f"{name}.{member} is missing in the stub")

    def compare(self, function, node):
        names = [p.name for p in inspect.signature(function).parameters.values()
                 if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name != "self"]
        self.assertEqual(arguments(node), names, f"the arguments of {function.__qualname__}")

    def test_mypy(self):
        try:
            import mypy  # noqa: F401
        except ImportError:
            self.skipTest("mypy is not there")
        program = """
import tlu

model = tlu.train("spam.csv", learner="arow", epochs=3)
label: str = model.predict_one({"a": 1})
weights: dict[str, float] = model.weights("spam")
learner = tlu.Learner("pa2")
learner.learn_one({"a": 1.0, "b": "x"}, True)
with tlu.Stream("live.tlu") as stream:
    answers: list[str] = stream.feed("1 1:1")
clf = tlu.Perceptron(epochs=3).fit([[1]], [1]).partial_fit([[1]], [1])
clf.learn_one({"a": 1}, 1)
clf.model_.save("m.tlu")
if tlu.separable([[1]], [1]):
    tlu.plot("data", "spam.csv").save("a.svg")
steps: list[tlu.Record] = tlu.trace("spam.csv")
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            for text, expected in (program, 0), (program + "tlu.load(3.5)\nlabel.nonsense\n", 1):
                with open(path, "w") as file:
                    file.write(text)
                done = subprocess.run(
                    [sys.executable, "-m", "mypy", "--python-version", "3.11", "--cache-dir", os.path.join(folder, "cache"),
                     "--no-error-summary", path],
                    env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)}, capture_output=True, text=True)
                self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
            self.assertIn("nonsense", done.stdout)
            self.assertIn("load", done.stdout)


if __name__ == "__main__":
    unittest.main()
