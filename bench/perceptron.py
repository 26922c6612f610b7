"""perceptron.py train DATA MODEL | test DATA MODEL | text DATA: scikit-learn's averaged perceptron.

Five passes over LIBSVM; one pass over labelled text, with the same rule for words as tlu's.
"""
import pickle
import sys

from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier


def perceptron(passes):
    return SGDClassifier(loss='perceptron', average=True, learning_rate='constant', eta0=1,
                         penalty=None, max_iter=passes, tol=None, random_state=1)


def count_words(path):
    from sklearn.feature_extraction.text import CountVectorizer
    with open(path, encoding='utf-8') as file:
        labels, texts = zip(*(line.rstrip('\n').split('\t', 1) for line in file))
    words = CountVectorizer(lowercase=False, token_pattern=r'\w+|[^\w\s]+')
    return words.fit_transform(texts), labels


verb, data = sys.argv[1:3]
if verb == 'text':
    perceptron(1).fit(*count_words(data))
elif verb == 'train':
    rows, labels = load_svmlight_file(data)
    with open(sys.argv[3], 'wb') as file:
        pickle.dump(perceptron(5).fit(rows, labels), file)
else:
    with open(sys.argv[3], 'rb') as file:
        model = pickle.load(file)
    rows, labels = load_svmlight_file(data, n_features=model.n_features_in_)
    print(model.score(rows, labels))
