"""Linear classifiers of the perceptron family."""

from ._estimators import CLASSES, AROW, MLP, SCW, AveragedPerceptron, Classifier, KernelPerceptron, LinearSVM
from ._estimators import LogisticRegression, MaxMargin, NaiveBayes, PassiveAggressive, Perceptron, VotedPerceptron
from ._tlu import Model, __version__

__all__ = ["Model", "__version__"] + [estimator.__name__ for estimator in CLASSES]
