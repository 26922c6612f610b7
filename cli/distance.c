// tlu distance: on which side of the hyperplane each row is, and how far from it.
#include "cli.h"
#include "reading.h"
#include "tlu_proof.h"

static const tlu_option_info options[] = {
    FLAG_OPTION("json", "print one JSON object per line"),
    FLAG_OPTION("all",
                "with several classes, the distances from all planes of the predicted class"),
    FLAG_OPTION("quiet", "print the margin alone, and no notes"),
};

struct distance_run {
    const struct arguments *arguments;
    const tlu_model *model;
    tlu_planes *planes;
    bool json, all, quiet, two;
    uint64_t labelled, wrong, margin_row; // margin_row: from 1; 0: none
    double margin;                        // the smallest
};

static const char *label_of(const struct distance_run *rows, size_t class_index)
{
    return tlu_model_class_label(rows->model, class_index);
}

static void print_json(const struct distance_run *rows, uint64_t row, uint32_t label,
                       const tlu_distance *distance)
{
    struct json json = {.file = stdout};
    size_t classes = tlu_model_class_count(rows->model);
    json_object(&json, NULL);
    json_count(&json, "row", row);
    json_text(&json, "predicted", label_of(rows, distance->predicted));
    json_text(&json, "label", label < classes ? label_of(rows, label) : NULL);
    if (!rows->two)
        json_text(&json, "against", label_of(rows, distance->against));
    json_number(&json, "score", distance->score);
    json_number(&json, "distance", distance->distance);
    json_number(&json, "margin", distance->margin);
    if (rows->all && !rows->two) {
        json_object(&json, "distances");
        for (size_t j = 0; j < classes; j++)
            if (j != distance->predicted)
                json_number(&json, label_of(rows, j),
                            tlu_planes_distance_between(rows->planes, distance->predicted, j));
        json_end(&json);
    }
    json_end(&json);
}

static void print_text(const struct distance_run *rows, uint64_t row, uint32_t label,
                       const tlu_distance *distance)
{
    size_t classes = tlu_model_class_count(rows->model);
    printf("row %llu: %s", ULL(row), text_clip(label_of(rows, distance->predicted), 40));
    if (label < classes && label != distance->predicted)
        printf(" (wrong, the label is %s)", text_clip(label_of(rows, label), 40));
    printf(", score %s", brief_text(distance->score));
    printf(", distance %s", brief_text(distance->distance));
    if (!rows->two)
        printf(" from the plane against %s", text_clip(label_of(rows, distance->against), 40));
    fputc('\n', stdout);
    for (size_t j = 0; j < classes && rows->all && !rows->two; j++)
        if (j != distance->predicted) {
            double between = tlu_planes_distance_between(rows->planes, distance->predicted, j);
            printf("  %s from the plane against %s\n", brief_text(between),
                   text_clip(label_of(rows, j), 40));
        }
}

static tlu_status take_row(struct distance_run *rows, uint64_t number, const tlu_row *row,
                           uint32_t label, tlu_error *error)
{
    tlu_distance distance;
    TRY(tlu_planes_distance(rows->planes, row, label, &distance, error));
    if (!isnan(distance.margin)) {
        rows->labelled++;
        rows->wrong += label != distance.predicted;
        if (rows->margin_row == 0 || distance.margin < rows->margin) {
            rows->margin = distance.margin;
            rows->margin_row = number;
        }
    }
    if (!rows->quiet)
        (rows->json ? print_json : print_text)(rows, number, label, &distance);
    return TLU_OK;
}

static void print_margin(const struct distance_run *rows)
{
    if (rows->json) {
        struct json json = {.file = stdout};
        json_object(&json, NULL);
        json_count(&json, "labelled", rows->labelled);
        json_count(&json, "wrong", rows->wrong);
        json_number(&json, "smallest_margin", rows->margin_row ? rows->margin : NAN);
        json_count(&json, "margin_row", rows->margin_row);
        json_bool(&json, "scaled_space", tlu_planes_are_scaled(rows->planes));
        json_end(&json);
        return;
    }
    if (rows->margin_row == 0)
        return;
    printf("margin %s: the least distance of %s, that of row %llu%s\n", brief_text(rows->margin),
           count_text(rows->labelled, "labelled row"), ULL(rows->margin_row),
           rows->margin < 0 ? ", which is on the wrong side" : "");
}

static tlu_status print_rows(struct distance_run *rows, tlu_reader *reader, tlu_error *error)
{
    const tlu_batch *batch;
    struct output output = {.file = stdout};
    tlu_status status = TLU_OK;
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, error)) == TLU_OK &&
           batch) {
        for (size_t i = 0; i < batch->rows && status == TLU_OK; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            status = take_row(rows, batch->first_row + i + 1, &row, batch->labels[i], error);
        }
        if (status == TLU_OK)
            status = output_flush(&output, error);
    }
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct session session;
    TRY(session_open(&session, arguments, NULL, NULL, error));
    struct distance_run rows = {.arguments = arguments, .model = session.model};
    rows.json = arguments_flag(arguments, "json");
    rows.all = arguments_flag(arguments, "all");
    rows.quiet = arguments_flag(arguments, "quiet");
    rows.two = tlu_model_positive_class(session.model) != TLU_NONE;
    tlu_status status = tlu_planes_new(session.model, &rows.planes, error);
    if (status == TLU_OK)
        status = print_rows(&rows, session.reader, error);
    if (status == TLU_OK)
        print_margin(&rows);
    if (status == TLU_OK && !rows.json && !rows.quiet) {
        fflush(stdout); // before the notes, if both go to one terminal
        if (tlu_planes_are_scaled(rows.planes))
            fputs("note: distances are those of the rows as the model scales them\n", stderr);
        print_reading_notes(stderr, arguments, session.model, tlu_reader_get_stats(session.reader),
                            true);
    }
    tlu_planes_free(rows.planes);
    session_close(&session);
    return status;
}

const struct verb distance_verb = {
    .name = "distance",
    .summary = "show how far each row is from the hyperplane, and the margin",
    .description =
        "For each row of DATA prints the label that MODEL gives, its score and its signed distance "
        "from the hyperplane, (w . x + b) / |w|, positive on the side of the positive class. With "
        "more classes it is the distance from the nearest of the planes between the predicted "
        "class and the others, (w_k - w_j) . x + b_k - b_j = 0. Distances are in the space of the "
        "data, also if the model scales it. The last line has the margin: the least distance of a "
        "row from the planes of its own label, below 0 if a row is on the wrong side. Models with "
        "a kernel or a vote have no hyperplane.",
    .arguments = {{"MODEL", NULL, .help = "a model that tlu train or tlu stream made"},
                  {"DATA", NULL,
                   .help = "rows like those of the training data; - is standard input"},
                  {0}},
    .groups = "reading",
    OPTIONS(options),
    .examples = {"tlu train data/weather.csv -o weather.tlu",
                 "tlu distance weather.tlu data/weather.csv",
                 "tlu distance weather.tlu data/weather.csv --json"},
    .run = run,
};
