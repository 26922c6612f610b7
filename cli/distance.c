// tlu distance: on which side of the hyperplane each row is, and how far from it.
#include "arguments.h"
#include "json.h"
#include "reading.h"
#include "text.h"
#include "tlu_proof.h"

#include <math.h>
#include <stdlib.h>

static const tlu_option_info options[] = {
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print one JSON object per line"},
    {"all", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "with several classes, the distances from all planes of the predicted class"},
    {"quiet", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "print the margin alone, and no notes"},
};

struct walk {
    const struct arguments *arguments;
    const tlu_model *model;
    tlu_planes *planes;
    bool json, all, quiet, two;
    uint64_t labelled, wrong, margin_row; // margin_row: from 1; 0: none
    double margin;                        // the smallest
};

static const char *label_of(const struct walk *walk, size_t class_index)
{
    return tlu_model_class_label(walk->model, class_index);
}

static void print_json(const struct walk *walk, uint64_t row, uint32_t label,
                       const tlu_distance *distance)
{
    struct json json = {.file = stdout};
    size_t classes = tlu_model_class_count(walk->model);
    json_object(&json, NULL);
    json_count(&json, "row", row);
    json_text(&json, "predicted", label_of(walk, distance->predicted));
    json_text(&json, "label", label < classes ? label_of(walk, label) : NULL);
    if (!walk->two)
        json_text(&json, "against", label_of(walk, distance->against));
    json_number(&json, "score", distance->score);
    json_number(&json, "distance", distance->distance);
    json_number(&json, "margin", distance->margin);
    if (walk->all && !walk->two) {
        json_object(&json, "distances");
        for (size_t j = 0; j < classes; j++)
            if (j != distance->predicted)
                json_number(&json, label_of(walk, j),
                            tlu_planes_distance_between(walk->planes, distance->predicted, j));
        json_end(&json);
    }
    json_end(&json);
}

static void print_text(const struct walk *walk, uint64_t row, uint32_t label,
                       const tlu_distance *distance)
{
    char shown[256], number[NUMBER_SIZE];
    size_t classes = tlu_model_class_count(walk->model);
    printf("row %llu: %s", (unsigned long long)row,
           text_show(shown, sizeof shown, label_of(walk, distance->predicted), 40));
    if (label < classes && label != distance->predicted)
        printf(" (wrong, the label is %s)",
               text_show(shown, sizeof shown, label_of(walk, label), 40));
    printf(", score %s", brief_text(number, distance->score));
    printf(", distance %s", brief_text(number, distance->distance));
    if (!walk->two)
        printf(" from the plane against %s",
               text_show(shown, sizeof shown, label_of(walk, distance->against), 40));
    fputc('\n', stdout);
    for (size_t j = 0; j < classes && walk->all && !walk->two; j++)
        if (j != distance->predicted) {
            double between = tlu_planes_distance_between(walk->planes, distance->predicted, j);
            printf("  %s from the plane against %s\n", brief_text(number, between),
                   text_show(shown, sizeof shown, label_of(walk, j), 40));
        }
}

static tlu_status take_row(struct walk *walk, uint64_t number, const tlu_row *row, uint32_t label,
                           tlu_error *error)
{
    tlu_distance distance;
    tlu_status status = tlu_planes_distance(walk->planes, row, label, &distance, error);
    if (status != TLU_OK)
        return status;
    if (!isnan(distance.margin)) {
        walk->labelled++;
        walk->wrong += label != distance.predicted;
        if (walk->margin_row == 0 || distance.margin < walk->margin) {
            walk->margin = distance.margin;
            walk->margin_row = number;
        }
    }
    if (!walk->quiet)
        (walk->json ? print_json : print_text)(walk, number, label, &distance);
    return TLU_OK;
}

static void print_margin(const struct walk *walk)
{
    char number[NUMBER_SIZE], rows[64];
    if (walk->json) {
        struct json json = {.file = stdout};
        json_object(&json, NULL);
        json_count(&json, "labelled", walk->labelled);
        json_count(&json, "wrong", walk->wrong);
        json_number(&json, "smallest_margin", walk->margin_row ? walk->margin : NAN);
        json_count(&json, "margin_row", walk->margin_row);
        json_bool(&json, "scaled_space", tlu_planes_are_scaled(walk->planes));
        json_end(&json);
        return;
    }
    if (walk->margin_row == 0)
        return;
    printf("margin %s: the least distance of %s, that of row %llu%s\n",
           brief_text(number, walk->margin), count_text(rows, walk->labelled, "labelled row"),
           (unsigned long long)walk->margin_row,
           walk->margin < 0 ? ", which is on the wrong side" : "");
}

static tlu_status walk_all(struct walk *walk, tlu_reader *reader, tlu_error *error)
{
    const tlu_batch *batch;
    struct output output = {.file = stdout};
    tlu_status status = TLU_OK;
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, error)) == TLU_OK &&
           batch) {
        for (size_t i = 0; i < batch->rows && status == TLU_OK; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            status = take_row(walk, batch->first_row + i + 1, &row, batch->labels[i], error);
        }
        if (status == TLU_OK)
            status = output_flush(&output, error);
    }
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct session session;
    tlu_status status = session_open(&session, arguments, NULL, NULL, error);
    if (status != TLU_OK)
        return status;
    struct walk walk = {.arguments = arguments, .model = session.model};
    walk.json = arguments_flag(arguments, "json");
    walk.all = arguments_flag(arguments, "all");
    walk.quiet = arguments_flag(arguments, "quiet");
    walk.two = tlu_model_positive_class(session.model) != TLU_NONE;
    status = tlu_planes_new(session.model, &walk.planes, error);
    if (status == TLU_OK)
        status = walk_all(&walk, session.reader, error);
    if (status == TLU_OK)
        print_margin(&walk);
    if (status == TLU_OK && !walk.json && !walk.quiet) {
        fflush(stdout); // before the notes, if both go to one terminal
        if (tlu_planes_are_scaled(walk.planes))
            fputs("note: distances are those of the rows as the model scales them\n", stderr);
        print_reading_notes(stderr, arguments, session.model, tlu_reader_get_stats(session.reader),
                            true);
    }
    tlu_planes_free(walk.planes);
    session_close(&session);
    return status;
}

const struct verb distance_verb = {
    .name = "distance",
    .summary = "show how far each row is from the hyperplane, and the margin",
    .description =
        "For each row of DATA prints the label that MODEL gives, its score and its signed distance "
        "from the hyperplane, (w . x + b) / |w|: positive on the side of the positive class. With "
        "more classes it is the distance from the nearest of the planes between the predicted "
        "class and the others, (w_k - w_j) . x + b_k - b_j = 0. Distances are in the space of the "
        "data as it is, also if the model scales it. The last line has the margin: the least "
        "distance of a row from the planes of its own label, below 0 if a row is on the wrong "
        "side. Rows are counted from 1, without a header. Models with a kernel or a vote have no "
        "hyperplane.",
    .arguments = {{"MODEL", NULL, .help = "a model that tlu train or tlu learn made"},
                  {"DATA", NULL,
                   .help = "rows like those of the training data; - is standard input"},
                  {0}},
    .groups = "reading",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu train data/weather.csv -o weather.tlu",
                 "tlu distance weather.tlu data/weather.csv",
                 "tlu distance weather.tlu data/weather.csv --json"},
    .run = run,
};
