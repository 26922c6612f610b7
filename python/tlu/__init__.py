"""Linear classifiers of the perceptron family."""

from ._estimators import CLASSES, AROW, MLP, SCW, AveragedPerceptron, Classifier, KernelPerceptron, LinearSVM
from ._estimators import LogisticRegression, MaxMargin, NaiveBayes, PassiveAggressive, Perceptron, VotedPerceptron
from ._tlu import __version__
from .library import (METRICS, PLOTS, Picture, bound, check_proof, compare, cross_validate, generate, logic, metric,
                      mix, plot, separable, trace, train, tune)
from .models import Model, load
from .online import Learner
from .stream import Stream

__all__ = ["METRICS", "Learner", "Model", "PLOTS", "Picture", "Stream", "__version__", "bound", "check_proof",
           "compare", "cross_validate", "generate", "load", "logic", "metric", "mix", "plot", "separable", "trace",
           "train", "tune"] + [estimator.__name__ for estimator in CLASSES]
