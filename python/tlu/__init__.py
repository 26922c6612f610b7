"""Linear classifiers of the perceptron family."""

from ._tlu import Model, __version__

__all__ = ["Model", "__version__"]
