// The table of options, for options.h and options.c, which define OPTION:
//
//     OPTION(NUMBER, name, group, type, value, default, choices, least, most, description)
//
// "reading" options can be given again when a model reads other data; "data" options describe
// training data and are kept in the model; "learning" options are the learner's; "measuring"
// options name what is measured, and "output" options what a prediction prints besides the label.
OPTION(FORMAT, "format", "reading", TLU_OPTION_CHOICE, "FORMAT", "auto", format_choices, 0, 0,
       "format of the data")
OPTION(DELIMITER, "delimiter", "reading", TLU_OPTION_TEXT, "CHAR", "", NULL, 0, 0,
       "separator of CSV fields: a character, or tab, space, comma, semicolon, pipe; without it, "
       "recognised from the data")
OPTION(HEADER, "header", "reading", TLU_OPTION_CHOICE, "WHICH", "auto", "auto|yes|no", 0, 0,
       "whether the first CSV row names the columns")
OPTION(
    DECIMAL, "decimal", "reading", TLU_OPTION_CHOICE, "SIGN", "auto", "auto|point|comma", 0, 0,
    "decimal sign of CSV numbers; auto is a comma if fields are not separated by commas, numbers "
    "such as 3,5 occur in the first rows, and numbers such as 3.5 do not")
OPTION(
    MISSING, "missing", "reading", TLU_OPTION_CHOICE, "HOW", "auto",
    "auto|mean|median|most-frequent|indicator|zero|refuse", 0, 0,
    "what to do with empty, ?, NA and nan CSV fields and JSON's null: auto replaces a missing "
    "number by the mean of its column and adds a feature that marks it; mean and median replace "
    "it without a mark; indicator replaces it by 0 with a mark, zero without; in all of these but "
    "zero a missing category is a value of its own; most-frequent replaces numbers and categories "
    "by the most frequent value; refuse stops with an error that names the line and column")
OPTION(LABEL_SEPARATOR, "label-separator", "reading", TLU_OPTION_TEXT, "TEXT", ",", NULL, 0, 0,
       "with --multilabel: the text between the labels of a row in CSV, TSV, labelled text and "
       "predictions, up to 7 bytes; by default that of the model, or a comma")
OPTION(SKIP_BAD, "skip-bad", "reading", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "leave out and count malformed rows, instead of stopping at the first")
OPTION(THREADS, "threads", "reading", TLU_OPTION_COUNT, "N", "0", NULL, 0, 1024,
       "threads for parsing; 0 is one per core; the result does not depend on it")
OPTION(MAX_ROW, "max-row", "reading", TLU_OPTION_SIZE, "SIZE", "64M", NULL, 1, ROW_MAX,
       "maximum length of a row: bytes, or a number with K, M or G after it, up to 1G; a longer "
       "row is an error, so that an endless row cannot fill the memory")
OPTION(PART, "part", "reading", TLU_OPTION_TEXT, "K/N", "", NULL, 0, 0,
       "read the Kth of N parts of the data: whole files if there are at least N, else a range of "
       "bytes, cut at rows; of compressed, binary and piped data and of JSON arrays, every Nth "
       "block of 64 rows")
OPTION(
    LABEL, "label", "data", TLU_OPTION_TEXT, "COLUMN", "", NULL, 0, 0,
    "the CSV column, by name or by number from 1, or the JSON member with the label; by default a "
    "column with a common label name (label, class, target, y, survived, species and others), "
    "else the last CSV column that is neither text nor an identifier")
OPTION(TEXT, "text", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0,
       "columns of a table whose values are texts: each word is a feature, called COLUMN:WORD; "
       "without it, columns are recognised as texts by their first rows")
OPTION(MULTILABEL, "multilabel", "data", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "a row has any number of labels: 1,2 in LIBSVM and VW's format, several __label__ in "
       "fastText's, an array in JSON, a list in a CSV column; each label is learned against the "
       "rest, and a prediction is a list")
OPTION(CATEGORICAL, "categorical", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0,
       "columns of a table to treat as categories even if they look like numbers or texts")
OPTION(NUMERIC, "numeric", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0,
       "columns of a table that must be numbers")
OPTION(IGNORE, "ignore", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0,
       "columns of a table to leave out")
OPTION(NGRAMS, "ngrams", "data", TLU_OPTION_COUNT, "N", "1", NULL, 0, 8,
       "for text: every sequence of up to N words is a feature; 0, with --chars, is no words")
OPTION(CHARS, "chars", "data", TLU_OPTION_RANGE, "A:B", "", NULL, 1, 16,
       "for text: besides words, every sequence of A to B characters within a word is a feature; "
       "< and > mark the start and the end of the word and count as characters; the names of "
       "these features begin with ~")
OPTION(LOWERCASE, "lowercase", "data", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "for text: convert words to lower case")
OPTION(STOP_WORDS, "stop-words", "data", TLU_OPTION_LIST, "FILE|WORDS", "", NULL, 0, 0,
       "for text: words to leave out before sequences are formed: a file with a word per line, or "
       "words separated by commas")
OPTION(MIN_COUNT, "min-count", "data", TLU_OPTION_COUNT, "N", "1", NULL, 1, COUNT_MAX,
       "for text: leave out words and sequences that occur in fewer than N training rows")
OPTION(TFIDF, "tfidf", "data", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "for text: multiply the count of a word by log((1 + n) / (1 + d)) + 1, where d of n "
       "training rows have the word")
OPTION(NORMALIZE, "normalize", "data", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "divide each row by its Euclidean length, after scaling and --tfidf")
OPTION(HASH, "hash", "data", TLU_OPTION_COUNT, "BITS", "", NULL, 10, 30,
       "number features by a hash of their names, modulo 2^BITS, instead of keeping the names: "
       "memory is bounded, and names that collide share one feature")
OPTION(SCALE, "scale", "data", TLU_OPTION_CHOICE, "HOW", "none",
       "none|maxabs|standard|online|recent|auto", 0, 0,
       "scale the columns: maxabs divides by the largest absolute value; standard subtracts the "
       "mean and divides by the standard deviation; online divides by the largest so far and "
       "needs no pass over the rows first; recent, for a stream, divides by the recent size of "
       "values; auto standardises the columns of a table of numbers and leaves texts, counts and "
       "categories as they are (mlp: maxabs, if a value is above 1)")
OPTION(MEMORY, "memory", "data", TLU_OPTION_SIZE, "SIZE", "", NULL, 0, SIZE_LIMIT,
       "memory for rows that are kept for several passes: bytes, or a number with K, M, G or T "
       "after it (500M); other rows go to a temporary file in TMPDIR or /tmp; the same again for "
       "the kernel values of max-margin; the result does not depend on it; without it, half of "
       "the machine's memory, and 100M for kernel values")
OPTION(
    LEARNER, "learner", "learning", TLU_OPTION_CHOICE, "NAME", "auto", learner_choices + 1, 0, 0,
    "the learner (tlu learners lists them); auto chooses by the first rows: for texts hinge, with "
    "words in lower case, tf-idf and rows of unit length; for a table of numbers alma; for sparse "
    "rows such as counts of words logistic, with 5 passes; for others alma; options that are "
    "given win")
OPTION(DECIDE, "decide", "learning", TLU_OPTION_CHOICE, "HOW", "average",
       "average|last|vote|random|best|adaptive", 0, 0,
       "the classifier: the average of the weights after every step, the last weights, the vote "
       "of all weights by how long they lasted, one of them picked at random by how long it "
       "lasted, those that lasted longest; or, for a stream, adaptive: the last weights, their "
       "average or their recent average, whichever has the best recent accuracy")
OPTION(MULTICLASS, "multiclass", "learning", TLU_OPTION_CHOICE, "SCHEME", "wta", "wta|ovr|ovo|auto",
       0, 0,
       "more than two classes: the winner takes all, one versus the rest, or one versus one; auto "
       "is ovo for a table of numbers with up to 32 classes, else wta (max-margin: ovr, "
       "with a kernel ovo)")
OPTION(KERNEL, "kernel", "learning", TLU_OPTION_TEXT, "KERNEL", "", NULL, 0, 0,
       "run the dual form with linear, poly:DEGREE[,COEF] or rbf:GAMMA")
OPTION(EPOCHS, "epochs", "learning", TLU_OPTION_COUNT, "N", "10", NULL, 1, COUNT_MAX,
       "number of passes over the data (see --stop); without this option alma makes up to 50 over "
       "a table of numbers with several classes and up to 100,000 rows, and fewer over one with so "
       "many that rows times classes times passes are above 5e9")
OPTION(STOP, "stop", "learning", TLU_OPTION_CHOICE, "WHEN", "auto", "auto|converged|epochs", 0, 0,
       "when training ends: converged stops after a pass without a mistake and without an update, "
       "or when the passes repeat; epochs counts exactly --epochs passes in averages and votes, "
       "but does not make passes that would change nothing or repeat; auto is epochs for the "
       "perceptron with an average, a vote or a random pick, otherwise converged")
OPTION(RATE, "rate", "learning", TLU_OPTION_RANGE, "ETA|A:B", "1", NULL, 1e-30, 1e30,
       "learning rate: how much of an example an update adds; A:B draws it from that interval at "
       "each update")
OPTION(MARGIN, "margin", "learning", TLU_OPTION_NUMBER, "M", "0", NULL, 0, 1e30,
       "update while y times the score is not above M")
OPTION(C, "C", "learning", TLU_OPTION_NUMBER, "C", "1", NULL, 1e-30, 1e30,
       "largest step for a single example: smaller for noisier data (pa1, pa2, scw1, scw2); for "
       "svm, max-margin and the dual solver of logistic, the weight of the losses: smaller values "
       "regularise more")
OPTION(R, "r", "learning", TLU_OPTION_NUMBER, "R", "10", NULL, 1e-30, 1e30,
       "regularisation of arow: larger for noisier data")
OPTION(CONFIDENCE, "confidence", "learning", TLU_OPTION_NUMBER, "P", "0.75", NULL, 0.51, 0.999999,
       "the probability of being right that scw1 and scw2 aim at")
OPTION(DIAGONAL, "diagonal", "learning", TLU_OPTION_CHOICE, "OF", "covariance",
       "covariance|precision", 0, 0,
       "arow, scw1 and scw2 keep one variance per weight: the diagonal of the updated covariance, "
       "or of its inverse, the precision")
OPTION(ALPHA, "alpha", "learning", TLU_OPTION_NUMBER, "A", "0.9", NULL, 1e-6, 1,
       "share of the largest margin that alma may give up: lower values make more updates")
OPTION(SCHEDULE, "schedule", "learning", TLU_OPTION_CHOICE, "HOW", "constant",
       "constant|sqrt|adagrad", 0, 0,
       "how the learning rate changes: constant, falling as 1/sqrt(t), or for each feature by the "
       "sum of its squared gradients (adagrad)")
OPTION(L2, "l2", "learning", TLU_OPTION_NUMBER, "LAMBDA", "0", NULL, 0, 1e30,
       "L2 regularisation strength: shrinks the weights towards 0")
OPTION(SMOOTHING, "smoothing", "learning", TLU_OPTION_NUMBER, "A", "1", NULL, 1e-30, 1e30,
       "naive Bayes: added to each count (Laplace smoothing)")
OPTION(BINARIZE, "binarize", "learning", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "treat every value that is not 0 as 1")
OPTION(HIDDEN, "hidden", "learning", TLU_OPTION_TEXT, "UNITS", "100", NULL, 0, 0,
       "mlp: units of each hidden layer, such as 300 or 64,32")
OPTION(ACTIVATION, "activation", "learning", TLU_OPTION_CHOICE, "F", "relu", "relu|tanh|sigmoid", 0,
       0, "mlp: activation function of the hidden units")
OPTION(OPTIMIZER, "optimizer", "learning", TLU_OPTION_CHOICE, "HOW", "adam", "adam|momentum", 0, 0,
       "mlp: Adam, or gradient descent with momentum")
OPTION(MOMENTUM, "momentum", "learning", TLU_OPTION_NUMBER, "SHARE", "0.9", NULL, 0, 0.9999,
       "mlp with --optimizer momentum: fraction of the previous step that a step keeps; 0 is "
       "plain gradient descent")
OPTION(BATCH, "batch", "learning", TLU_OPTION_COUNT, "N", "", NULL, 1, 1048576,
       "mlp: rows of a minibatch; without it, one in 300 of all rows, but from 16 to 200")
OPTION(BLAS, "blas", "learning", TLU_OPTION_CHOICE, "WHICH", "auto", "auto|no|yes", 0, 0,
       "mlp: multiply matrices by OpenBLAS in training, which is faster for large nets, but then "
       "the bits of the model may depend on its version, the CPU and the number of threads; auto "
       "does so if tlu was built with it and the net has a million weights or more, not counting "
       "a first layer for rows of which most entries are 0")
OPTION(LOSS, "loss", "learning", TLU_OPTION_CHOICE, "LOSS", "hinge", "hinge|squared-hinge", 0, 0,
       "svm: what a row costs that lacks s of a margin of 1: C times s, or C times its square")
OPTION(SOLVER, "solver", "learning", TLU_OPTION_CHOICE, "HOW", "online", "online|dual", 0, 0,
       "logistic: online makes passes of gradient steps; dual finds the exact minimum of |w|^2/2 "
       "plus C times the losses of all rows")
OPTION(GAP, "gap", "learning", TLU_OPTION_NUMBER, "G", "1e-6", NULL, 1e-12, 0.5,
       "svm, and the dual solver of logistic: stop when the objective is proved to be within this "
       "fraction of the least possible")
OPTION(RATCHET, "ratchet", "learning", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "with --decide best: check all training rows before taking new weights")
OPTION(SHUFFLE, "shuffle", "learning", TLU_OPTION_CHOICE, "WHEN", "later", "later|all|none", 0, 0,
       "random order of rows: from the second pass on (the first learns while the file is read), "
       "in all passes, or never")
OPTION(SEED, "seed", "learning", TLU_OPTION_COUNT, "N", "1", NULL, 0, COUNT_MAX,
       "seed of the random numbers")
OPTION(NO_BIAS, "no-bias", "learning", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "no bias: planes through the origin only")
OPTION(TIE, "tie", "learning", TLU_OPTION_CHOICE, "WHICH", "mistake", "mistake|positive|negative",
       0, 0,
       "how to treat a score of exactly 0: mistake is a mistake in training and positive in "
       "prediction; positive and negative apply to both. If several classes share the highest "
       "score, mistake is a mistake in training and the first label in prediction; positive is the "
       "last label and negative the first, in both")
OPTION(TIE_UPDATE, "tie-update", "learning", TLU_OPTION_CHOICE, "WHICH", "both", "both|label", 0, 0,
       "the update of winner takes all if several classes share the highest score: both adds the "
       "example to its class and subtracts it from a rival; label only adds it, and may never "
       "converge")
OPTION(POSITIVE, "positive", "learning", TLU_OPTION_TEXT, "LABEL", "", NULL, 0, 0,
       "with two classes, the positive class; without it, the later label (1 over 0, spam over "
       "ham)")
OPTION(CLASS_WEIGHT, "class-weight", "learning", TLU_OPTION_LIST, "LABEL=W|balanced", "", NULL, 0,
       0,
       "multiply the weights of a class's examples by W, or those of every class by the inverse "
       "of its frequency")
OPTION(HOLDOUT, "holdout", "learning", TLU_OPTION_NUMBER, "FRACTION", "0", NULL, 0, 0.9,
       "hold out this fraction of the rows, measure accuracy on them after each pass and return "
       "the best pass; this figure is optimistic, because these rows choose the pass (tlu split "
       "sets test rows aside)")
OPTION(PATIENCE, "patience", "learning", TLU_OPTION_COUNT, "N", "3", NULL, 1, COUNT_MAX,
       "with --holdout: stop after this many passes without improvement; mlp: without it, a tenth "
       "of its passes")
OPTION(MAX_FEATURES, "max-features", "learning", TLU_OPTION_COUNT, "N", "", NULL, 10, COUNT_MAX,
       "keep at most N names of features: if there are more, those with the smallest weights are "
       "forgotten; for a stream, or one pass over a file")
OPTION(CALIBRATE, "calibrate", "learning", TLU_OPTION_CHOICE, "HOW", "none",
       "none|sigmoid|isotonic|temperature", 0, 0,
       "turn scores into probabilities, fitted to the scores of a 5-fold cross-validation: a "
       "sigmoid, isotonic regression, or one temperature for all scores")
OPTION(METRIC, "metric", "measuring", TLU_OPTION_TEXT, "NAME", "", NULL, 0, 0,
       "metric: accuracy, balanced-accuracy, f1, roc-auc, log-loss, cost and others "
       "(docs/metrics.md lists all); without it, accuracy")
OPTION(COSTS, "costs", "measuring", TLU_OPTION_TEXT, "FP:FN|FILE", "", NULL, 0, 0,
       "for --metric cost: the costs of a false positive and a false negative, or a file with a "
       "cost matrix: a line per true class with the cost of each predicted class")
OPTION(WEIGHTED, "weighted", "measuring", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "measure with the weights of the rows (VW's importance, JSON's weight)")
OPTION(ID, "id", "output", TLU_OPTION_TEXT, "COLUMN", "", NULL, 0, 0,
       "print an identifier before each label, separated by a tab: the CSV column with this name "
       "or number from 1, the JSON member with this name, or with any name the tag of VW's format")
