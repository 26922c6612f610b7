"""perceptron.py train DATA MODEL | test DATA MODEL: scikit-learn's averaged perceptron, 5 passes."""
import pickle
import sys

from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier

verb, data, path = sys.argv[1:]
if verb == 'train':
    rows, labels = load_svmlight_file(data)
    model = SGDClassifier(loss='perceptron', average=True, learning_rate='constant', eta0=1,
                          penalty=None, max_iter=5, tol=None, random_state=1)
    model.fit(rows, labels)
    with open(path, 'wb') as file:
        pickle.dump(model, file)
else:
    with open(path, 'rb') as file:
        model = pickle.load(file)
    rows, labels = load_svmlight_file(data, n_features=model.n_features_in_)
    print(model.score(rows, labels))
