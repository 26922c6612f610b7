/* Grade 3 of tlu.h: a learner that gets one example at a time, predicts each before it is trained
   on, and becomes a model at the end. The stream is a file of handwritten digits, read line by line
   as it might come from a socket.

       stream examples/data */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tlu.h>

#define FEATURES 64

/* Cuts "7 3:5 4:13" into a label and features by name; returns how many features there are. */
static size_t cut(char *line, char **label, tlu_feature *features)
{
    size_t count = 0;
    char *name, *value;
    *label = strtok(line, " \n");
    while (count < FEATURES && (name = strtok(NULL, " \n:")) && (value = strtok(NULL, " \n")))
        features[count++] = (tlu_feature){name, atof(value)};
    return count;
}

int main(int argc, char **argv)
{
    char path[4096], line[4096], *label = NULL;
    snprintf(path, sizeof path, "%s/digits-train.svm", argc > 1 ? argv[1] : "examples/data");
    FILE *file = fopen(path, "r");
    tlu_error error;
    tlu_learner *learner;
    if (!file || tlu_learner_new(NULL, &learner, &error) != TLU_OK) {
        fprintf(stderr, "stream: %s\n", file ? error.text : "cannot open the data");
        return 2;
    }

    /* Predict first, then learn: the share of right predictions tells how good the learner is on
       examples that it has never seen, without a second file. Features and classes need not be
       declared; they are added as they turn up. */
    tlu_feature features[FEATURES];
    size_t count = 0;
    unsigned seen = 0, right = 0;
    const char *guess; /* NULL as long as the learner has met no class */
    tlu_status status = TLU_OK;
    while (status == TLU_OK && fgets(line, sizeof line, file)) {
        count = cut(line, &label, features);
        status = tlu_learner_predict(learner, features, count, &guess, NULL, &error);
        if (status == TLU_OK)
            right += guess && label && strcmp(guess, label) == 0;
        if (status == TLU_OK)
            status = tlu_learner_learn(learner, features, count, label, 1, NULL, &error);
        if (++seen % 200 == 0)
            printf("%5u examples: %.1f%% right so far\n", seen, 100.0 * right / seen);
    }
    fclose(file);

    /* A model is a snapshot, to save or to hand to other threads; the learner could go on. On the
       last example the two agree. */
    tlu_model *model = NULL;
    if (status == TLU_OK)
        status = tlu_learner_make_model(learner, &model, &error);
    if (status == TLU_OK)
        status = tlu_learner_predict(learner, features, count, &guess, NULL, &error);
    size_t winner;
    if (status == TLU_OK)
        status = tlu_model_predict_named(model, features, count, &winner, NULL, &error);
    int good = 0;
    if (status == TLU_OK) {
        size_t classes = tlu_model_class_count(model);
        printf("%zu classes, %zu features; the last example is a %s, the model says %s\n", classes,
               tlu_model_feature_count(model), label, tlu_model_class_label(model, winner));
        good = classes == 10 && seen == 1438 && right > 0.8 * seen &&
               strcmp(tlu_model_class_label(model, winner), guess) == 0;
    } else {
        fprintf(stderr, "stream: %s\n", error.text);
    }
    tlu_model_free(model);
    tlu_learner_free(learner);
    return good ? 0 : 1;
}
