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
       "separator of CSV fields, if it is not recognised: a character, or tab, space, comma, "
       "semicolon or pipe")
OPTION(HEADER, "header", "reading", TLU_OPTION_CHOICE, "WHICH", "auto", "auto|yes|no", 0, 0,
       "whether the first CSV row names the columns")
OPTION(DECIMAL, "decimal", "reading", TLU_OPTION_CHOICE, "SIGN", "auto", "auto|point|comma", 0, 0,
       "decimal sign of CSV numbers; auto is a comma if commas do not separate the fields, and "
       "the first rows have numbers such as 3,5 but none such as 3.5")
OPTION(MISSING, "missing", "reading", TLU_OPTION_CHOICE, "HOW", "auto",
       "auto|mean|median|most-frequent|indicator|zero|refuse", 0, 0,
       "what replaces a missing value (an empty CSV field, ?, NA, nan, JSON's null): the mean, "
       "median or most frequent value of its column; auto: the mean, and a feature that marks "
       "it; indicator: 0, and that feature; zero: 0; refuse: an error that names the line and "
       "column. A missing category is a value of its own, except with most-frequent and zero")
OPTION(LABEL_SEPARATOR, "label-separator", "reading", TLU_OPTION_TEXT, "TEXT", ",", NULL, 0, 0,
       "with --multilabel: the text between labels in CSV, TSV, labelled text and predictions, "
       "up to 7 bytes; without it, that of the model, or a comma")
OPTION(SKIP_BAD, "skip-bad", "reading", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "leave out and count malformed rows instead of stopping at the first")
OPTION(THREADS, "threads", "reading", TLU_OPTION_COUNT, "N", "0", NULL, 0, 1024,
       "threads for parsing; 0 is one per core; results do not depend on it")
OPTION(MAX_ROW, "max-row", "reading", TLU_OPTION_SIZE, "SIZE", "64M", NULL, 1, ROW_MAX,
       "maximum length of a row: bytes, or a number with K, M or G, up to 1G; a longer row is an "
       "error")
OPTION(PART, "part", "reading", TLU_OPTION_TEXT, "K/N", "", NULL, 0, 0,
       "read the Kth of N parts of the data: whole files if there are N, else a range of bytes, "
       "cut at rows; of compressed, binary and piped data and JSON arrays every Nth block of 64 "
       "rows")
OPTION(LABEL, "label", "data", TLU_OPTION_TEXT, "COLUMN", "", NULL, 0, 0,
       "the CSV column (name, or number from 1) or JSON member with the label; without it, one "
       "with a common name (label, class, target, y, survived, species and others), else the "
       "last CSV column that is neither text nor an identifier")
OPTION(TEXT, "text", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0,
       "columns that are texts: each word is a feature COLUMN:WORD; without it, they are "
       "recognised by their first rows")
OPTION(MULTILABEL, "multilabel", "data", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "a row has a list of labels: 1,2 in LIBSVM and VW's format, several __label__ in "
       "fastText's, an array in JSON, a list in a CSV column; each label is learned against the "
       "rest")
OPTION(CATEGORICAL, "categorical", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0,
       "columns that are categories, even if they look like numbers or texts")
OPTION(NUMERIC, "numeric", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0,
       "columns that must be numbers")
OPTION(IGNORE, "ignore", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0, "columns to leave out")
OPTION(NGRAMS, "ngrams", "data", TLU_OPTION_COUNT, "N", "1", NULL, 0, 8,
       "text: every sequence of up to N words is a feature; 0, with --chars: no words")
OPTION(CHARS, "chars", "data", TLU_OPTION_RANGE, "A:B", "", NULL, 1, 16,
       "text: besides words, every sequence of A to B characters of a word is a feature; < and > "
       "mark the start and the end of the word and count as characters")
OPTION(LOWERCASE, "lowercase", "data", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "text: convert words to lower case")
OPTION(STOP_WORDS, "stop-words", "data", TLU_OPTION_LIST, "FILE|WORDS", "", NULL, 0, 0,
       "text: words to leave out before sequences are formed: a file with a word per line, or "
       "words separated by commas")
OPTION(MIN_COUNT, "min-count", "data", TLU_OPTION_COUNT, "N", "1", NULL, 1, COUNT_MAX,
       "text: leave out words and sequences in fewer than N training rows")
OPTION(TFIDF, "tfidf", "data", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "text: multiply the count of a word by log((1 + n) / (1 + d)) + 1, where d of n training "
       "rows have the word")
OPTION(NORMALIZE, "normalize", "data", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "divide each row by its Euclidean length, after scaling and --tfidf")
OPTION(HASH, "hash", "data", TLU_OPTION_COUNT, "BITS", "", NULL, 10, 30,
       "number features by a hash of their names modulo 2^BITS: memory is bounded, and names "
       "that collide share a feature")
OPTION(SCALE, "scale", "data", TLU_OPTION_CHOICE, "HOW", "none",
       "none|maxabs|standard|online|recent|auto", 0, 0,
       "scale the features: maxabs divides by the largest absolute value; standard subtracts the "
       "mean and divides by the standard deviation; online divides by the largest value so far; "
       "recent, for a stream, by the recent size of values; auto standardises a table of numbers "
       "and leaves texts, counts and categories as they are (mlp: maxabs, if a value is above 1)")
OPTION(MEMORY, "memory", "data", TLU_OPTION_SIZE, "SIZE", "", NULL, 0, SIZE_LIMIT,
       "memory for the rows of several passes, such as 500M; other rows go to a temporary file "
       "in TMPDIR or /tmp; as much again for the kernel values of max-margin; without it, half "
       "of the machine's memory, and 100M for kernel values; results do not depend on it")
OPTION(LEARNER, "learner", "learning", TLU_OPTION_CHOICE, "NAME", "auto", learner_choices + 1, 0, 0,
       "the learner (tlu learners lists them); auto: for texts hinge with --lowercase --tfidf "
       "--normalize; for sparse rows such as counts of words logistic with 5 passes; else alma; "
       "options that are given win")
OPTION(DECIDE, "decide", "learning", TLU_OPTION_CHOICE, "HOW", "average",
       "average|last|vote|random|best|adaptive", 0, 0,
       "the classifier: the average of the weights after every step; the last weights; the vote "
       "of all weights, by how long they lasted; one of them at random, by how long it lasted; "
       "best: those that lasted longest; adaptive, for a stream: the last weights, their average "
       "or their recent average, whichever is most accurate of late")
OPTION(MULTICLASS, "multiclass", "learning", TLU_OPTION_CHOICE, "SCHEME", "wta", "wta|ovr|ovo|auto",
       0, 0,
       "more than two classes: winner takes all, one versus the rest, or one versus one; auto is "
       "ovo for a table of numbers with up to 32 classes, else wta (max-margin: ovr, with a "
       "kernel ovo)")
OPTION(KERNEL, "kernel", "learning", TLU_OPTION_TEXT, "KERNEL", "", NULL, 0, 0,
       "learn in the dual form, with linear, poly:DEGREE[,COEF] or rbf:GAMMA")
OPTION(EPOCHS, "epochs", "learning", TLU_OPTION_COUNT, "N", "10", NULL, 1, COUNT_MAX,
       "passes over the data (see --stop); without it, alma makes up to 50 over a table of "
       "numbers with several classes and up to 100,000 rows, fewer if rows times classes times "
       "passes exceed 5e9")
OPTION(STOP, "stop", "learning", TLU_OPTION_CHOICE, "WHEN", "auto", "auto|converged|epochs", 0, 0,
       "converged: stop after a pass without mistakes and without updates, or when passes repeat; "
       "epochs: count exactly --epochs passes in averages and votes, but make none that would "
       "change nothing or repeat; auto: epochs for the perceptron with an average, a vote or a "
       "random pick, else converged")
OPTION(RATE, "rate", "learning", TLU_OPTION_RANGE, "ETA|A:B", "1", NULL, 1e-30, 1e30,
       "learning rate: how much of an example an update adds; A:B draws it from that interval at "
       "each update")
OPTION(MARGIN, "margin", "learning", TLU_OPTION_NUMBER, "M", "0", NULL, 0, 1e30,
       "update if y times the score is not above M")
OPTION(C, "C", "learning", TLU_OPTION_NUMBER, "C", "1", NULL, 1e-30, 1e30,
       "pa1, pa2, scw1, scw2: largest step for one example, smaller for noisier data; svm, "
       "max-margin and logistic --solver dual: weight of the losses, smaller to regularise more")
OPTION(R, "r", "learning", TLU_OPTION_NUMBER, "R", "10", NULL, 1e-30, 1e30,
       "arow: regularisation, larger for noisier data")
OPTION(CONFIDENCE, "confidence", "learning", TLU_OPTION_NUMBER, "P", "0.75", NULL, 0.51, 0.999999,
       "scw1, scw2: the probability of being right to aim at")
OPTION(DIAGONAL, "diagonal", "learning", TLU_OPTION_CHOICE, "OF", "covariance",
       "covariance|precision", 0, 0,
       "arow, scw1, scw2: keep the diagonal of the covariance, or of its inverse, the precision")
OPTION(ALPHA, "alpha", "learning", TLU_OPTION_NUMBER, "A", "0.9", NULL, 1e-6, 1,
       "alma: share of the largest margin to give up; lower values make more updates")
OPTION(SCHEDULE, "schedule", "learning", TLU_OPTION_CHOICE, "HOW", "constant",
       "constant|sqrt|adagrad", 0, 0,
       "learning rate: constant, falling as 1/sqrt(t), or for each feature by the sum of its "
       "squared gradients (adagrad)")
OPTION(L2, "l2", "learning", TLU_OPTION_NUMBER, "LAMBDA", "0", NULL, 0, 1e30,
       "strength of L2 regularisation: shrinks the weights towards 0")
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
       "mlp with --optimizer momentum: share of the previous step that a step keeps; 0 is plain "
       "gradient descent")
OPTION(BATCH, "batch", "learning", TLU_OPTION_COUNT, "N", "", NULL, 1, 1048576,
       "mlp: rows of a minibatch; without it, one in 300 of all rows, from 16 to 200")
OPTION(BLAS, "blas", "learning", TLU_OPTION_CHOICE, "WHICH", "auto", "auto|no|yes", 0, 0,
       "mlp: multiply matrices by OpenBLAS in training: faster for large nets, but the bits of "
       "the model may depend on its version, the CPU and the number of threads; auto: if tlu was "
       "built with it and the net has a million weights, not counting a first layer for sparse "
       "rows")
OPTION(LOSS, "loss", "learning", TLU_OPTION_CHOICE, "LOSS", "hinge", "hinge|squared-hinge", 0, 0,
       "svm: the cost of a row that lacks s of a margin of 1: C times s, or C times its square")
OPTION(SOLVER, "solver", "learning", TLU_OPTION_CHOICE, "HOW", "online", "online|dual", 0, 0,
       "logistic: online makes passes of gradient steps; dual finds the exact minimum of |w|^2/2 "
       "plus C times all losses")
OPTION(GAP, "gap", "learning", TLU_OPTION_NUMBER, "G", "1e-6", NULL, 1e-12, 0.5,
       "svm, and logistic --solver dual: stop when the objective is proved to be within this "
       "fraction of its minimum")
OPTION(RATCHET, "ratchet", "learning", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "with --decide best: check all training rows before taking new weights")
OPTION(SHUFFLE, "shuffle", "learning", TLU_OPTION_CHOICE, "WHEN", "later", "later|all|none", 0, 0,
       "random order of rows: from the second pass on (the first learns while it reads), in all "
       "passes, or never")
OPTION(SEED, "seed", "learning", TLU_OPTION_COUNT, "N", "1", NULL, 0, COUNT_MAX,
       "seed of the random numbers")
OPTION(NO_BIAS, "no-bias", "learning", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "no bias: planes through the origin only")
OPTION(TIE, "tie", "learning", TLU_OPTION_CHOICE, "WHICH", "mistake", "mistake|positive|negative",
       0, 0,
       "a score of 0: mistake is a mistake in training and positive in prediction; positive and "
       "negative apply to both. Several classes with the highest score: mistake is a mistake in "
       "training and the first label in prediction; positive is the last label and negative the "
       "first, in both")
OPTION(TIE_UPDATE, "tie-update", "learning", TLU_OPTION_CHOICE, "WHICH", "both", "both|label", 0, 0,
       "winner takes all, if several classes share the highest score: both adds the example to "
       "its class and subtracts it from a rival; label only adds it, and may never converge")
OPTION(POSITIVE, "positive", "learning", TLU_OPTION_TEXT, "LABEL", "", NULL, 0, 0,
       "the positive one of two classes; without it, the later label (1 over 0, spam over ham)")
OPTION(CLASS_WEIGHT, "class-weight", "learning", TLU_OPTION_LIST, "LABEL=W|balanced", "", NULL, 0,
       0,
       "multiply the weights of a class's rows by W, or those of every class by the inverse of "
       "its frequency")
OPTION(HOLDOUT, "holdout", "learning", TLU_OPTION_NUMBER, "FRACTION", "0", NULL, 0, 0.9,
       "hold out this fraction of the rows, measure on them after each pass and keep the best "
       "pass; the figure is optimistic, because it chose the pass (tlu split sets test rows "
       "aside)")
OPTION(PATIENCE, "patience", "learning", TLU_OPTION_COUNT, "N", "3", NULL, 1, COUNT_MAX,
       "with --holdout: stop after N passes without improvement; mlp: without it, a tenth of its "
       "passes")
OPTION(MAX_FEATURES, "max-features", "learning", TLU_OPTION_COUNT, "N", "", NULL, 10, COUNT_MAX,
       "keep at most N names of features, those with the largest weights; for a stream, or one "
       "pass over a file")
OPTION(CALIBRATE, "calibrate", "learning", TLU_OPTION_CHOICE, "HOW", "none",
       "none|sigmoid|isotonic|temperature", 0, 0,
       "turn scores into probabilities by a 5-fold cross-validation: with a sigmoid, isotonic "
       "regression, or one temperature for all scores")
OPTION(METRIC, "metric", "measuring", TLU_OPTION_TEXT, "NAME", "", NULL, 0, 0,
       "accuracy, balanced-accuracy, f1, roc-auc, log-loss, cost and others (tlu help metrics); "
       "without it, accuracy")
OPTION(COSTS, "costs", "measuring", TLU_OPTION_TEXT, "FP:FN|FILE", "", NULL, 0, 0,
       "with --metric cost: the costs of a false positive and a false negative, or a file: a "
       "line per true class with the cost of each predicted class")
OPTION(WEIGHTED, "weighted", "measuring", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
       "measure with the weights of the rows (VW's importance, JSON's weight)")
OPTION(ID, "id", "output", TLU_OPTION_TEXT, "COLUMN", "", NULL, 0, 0,
       "print an identifier and a tab before each label: the CSV column (name, or number from 1) "
       "or JSON member; VW's tag, by any name")
