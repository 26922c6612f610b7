"""notebook.py FILE: runs the code cells of a notebook in order, without Jupyter, and stores their outputs."""

import ast
import contextlib
import io
import json
import sys


def run_cell(source, names):
    """The outputs of a cell: what it prints, and the value of a last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, outputs = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(True)}
        if hasattr(value, "_repr_mimebundle_"):
            data = {kind: text.splitlines(True) for kind, text in value._repr_mimebundle_().items() if isinstance(text, str)}
        outputs.append({"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data})
    return outputs


def run(notebook):
    """Runs all code cells; returns their outputs, one list for each."""
    names = {"__name__": "__main__"}
    return [run_cell("".join(cell["source"]), names) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def texts(outputs):
    """What a person reads: printed text, and values as text."""
    return ["".join(output.get("text") or output["data"]["text/plain"]) for output in outputs]


def main():
    with open(sys.argv[1]) as file:
        notebook = json.load(file)
    results = run(notebook)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, (cell, outputs) in enumerate(zip(code, results), 1):
        cell["execution_count"] = count
        cell["outputs"] = outputs
        for output in outputs:
            if "execution_count" in output:
                output["execution_count"] = count
    with open(sys.argv[1], "w") as file:
        json.dump(notebook, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main()
