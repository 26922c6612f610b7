// The rows of a file as points of a plane, and the predictions of a model at its places.
#ifndef TLU_PLOT_PLANE_VIEW_H
#define TLU_PLOT_PLANE_VIEW_H

#include "input/reader.h"
#include "model/model.h"
#include "plot/arena.h"
#include "plot/picture.h"
#include "plot/plane/plane.h"

// ---- the rows of a file, read several times, with the predictions of a model

struct row_reader {
    struct arena *memory; // of the reader, and of what is made from its rows
    const char *path;
    const tlu_options *options;
    const tlu_model *model;       // NULL: rows are read without one
    const struct schema *schema;  // names of features and classes
    struct row_source row_source; // in memory if it is a pipe
    unsigned char *bytes;
    tlu_reader *reader; // for a model
    struct reader *plain;
    struct schema grown; // without a model: the features of the rows
    uint32_t *class_of;  // [classes] without a model: rank of each class among the labels
    struct batch *held;
    uint32_t *labels; // [rows] of the held batch
    size_t labels_capacity;
    tlu_batch batch;
};

// Loads a pipe into memory. The caller calls row_reader_close, also after an error.
tlu_status row_reader_open(struct row_reader *reader, struct arena *memory, const char *path,
                           const tlu_options *options, tlu_error *error);
// Sets the model; NULL: none, and all rows are read to find features and classes.
tlu_status row_reader_use(struct row_reader *reader, const tlu_model *model, tlu_error *error);
// Starts at the first row; predicts if requested and if there is a model.
tlu_status row_reader_begin(struct row_reader *reader, bool predict, tlu_error *error);
// The next rows, with classes in the order of row_reader_label; *batch is NULL at the end.
tlu_status row_reader_next(struct row_reader *reader, const tlu_batch **batch, tlu_error *error);
// Passes all rows to the function, which returns false if memory runs out, with predictions if
// requested.
tlu_status row_reader_each(struct row_reader *reader, bool predict,
                           bool (*function)(void *context, const tlu_batch *batch), void *context,
                           tlu_error *error);
// The predictions for them; NULL: none.
const tlu_predictions *row_reader_predictions(const struct row_reader *reader);
uint64_t row_reader_line(const struct row_reader *reader, size_t row); // of a row of the last batch
void row_reader_end(struct row_reader *reader);
void row_reader_close(struct row_reader *reader);

size_t row_reader_classes(const struct row_reader *reader);
const char *row_reader_label(const struct row_reader *reader, size_t class_index);
static inline size_t row_reader_features(const struct row_reader *reader)
{
    return schema_features(reader->schema);
}

// ---- means over all rows and a sample of the rows, which determine the plane

struct sample {
    size_t features;
    bool ones;         // --binarize: every entry counts as 1
    uint64_t seen;     // rows
    uint64_t *entries; // [features] in all rows
    double *mean;      // [features]
    double *squares;   // [features] sums
    double *factor;    // [features] scale factors that make values comparable
    // The sampled rows: those whose hashed number has no bit of the mask.
    size_t rows;
    size_t *offsets; // [rows + 1]
    size_t offsets_capacity;
    uint64_t *numbers; // [rows]
    size_t numbers_capacity;
    uint32_t *indices;
    size_t indices_capacity;
    float *values;
    size_t values_capacity;
    uint64_t mask;
    // By sample_score: centred scores of the first of these rows.
    double *scores; // [scored + 1][score_count]; the last row is scratch
    size_t scored, score_count;
};

// Reads all rows. The caller calls sample_free, also after an error. Factors are those of the
// model's scaling; without a model, for dense data, 1 / deviation.
tlu_status sample_take(struct sample *sample, struct row_reader *rows, tlu_error *error);
void sample_free(struct sample *sample);

static inline tlu_row sample_row(const struct sample *sample, size_t i)
{
    size_t start = sample->offsets[i];
    return (tlu_row){sample->offsets[i + 1] - start, sample->indices + start,
                     sample->values + start};
}

// Directions in the space of features times factors: unit vectors, or 0 if there is none.

// The direction of the largest variance, orthogonal to others[count].
tlu_status sample_direction(const struct sample *sample, const double *const *others, size_t count,
                            double *direction, tlu_error *error);
// Fills the scores.
tlu_status sample_score(struct sample *sample, const tlu_model *model, struct arena *memory,
                        tlu_error *error);
// The direction of the largest covariance with the scores (partial least squares, Wold 1975),
// orthogonal to others[count]. With two classes it points to the positive class.
tlu_status sample_score_direction(const struct sample *sample, const double *const *others,
                                  size_t count, double *direction, tlu_error *error);
// The share of the variance along these directions.
double sample_share(const struct sample *sample, const double *const *directions, size_t count);

// ---- directions, vectors of the space of features

double direction_dot(const double *a, const double *b, size_t count);

// Multiplies `from` by a positive semidefinite matrix.
typedef void direction_matrix(const void *context, const double *from, double *to);
// Its main eigenvector orthogonal to the others, by power iteration; 0 if there is none.
tlu_status direction_find(direction_matrix *matrix, const void *context,
                          const double *const *others, size_t other_count, double *direction,
                          size_t count, tlu_error *error);

// ---- the plane in the space of features: maps rows to places and places to rows

enum view_kind {
    VIEW_FEATURE,  // one feature, with random y
    VIEW_FEATURES, // the only two features
    VIEW_SLICE,    // two features, the others at their means
    VIEW_ACROSS,   // distance to the hyperplane, main direction within it
    VIEW_WEIGHTS,  // main directions of the differences between weights of classes
    VIEW_SCORES,   // direction of the scores, and an orthogonal one
    VIEW_MAIN      // main directions of the rows
};

struct plane_view {
    enum view_kind kind;
    size_t features;
    bool ones; // see struct sample
    // A row is at offset + to . row; the row at (x, y) is base + x along[0] + y along[1], in the
    // units of the data.
    double *to[2]; // [features]
    double offset[2];
    double *base;        // [features]
    double *along[2];    // [features]
    uint32_t shown[2];   // the features of VIEW_FEATURE (the first), VIEW_FEATURES and VIEW_SLICE
    bool scaled;         // distances are those of scaled values
    bool exact;          // the prediction of a row is that at its place
    uint64_t rows;       // of the data
    struct point jitter; // points are moved by up to this much, to reduce overlaps
    double share;        // of the variance along the plane
    double length;       // VIEW_ACROSS: |w|; score / |w| is a distance
};

// x and y: names of features, or NULL.
tlu_status view_make(struct plane_view *view, struct row_reader *rows, const char *x, const char *y,
                     tlu_error *error);

// The place of a row. `number` is that of the row in the data.
struct point view_place(const struct plane_view *view, const tlu_row *row, uint64_t number);
// The displacement of its point.
struct point view_jitter(const struct plane_view *view, uint64_t number);

// Whether scores are a linear function of the values as they are.
bool view_model_is_linear(const tlu_model *model);

// ---- thinning points
//
// Keeps a few thousand points, evenly over the plane: at most one of each kind per cell of a grid
// that becomes coarser as points are added, so that rare kinds and outliers stay.

struct thin_point {
    struct point at;
    uint32_t kind;      // points of one kind represent each other; compared modulo THIN_KINDS
    uint32_t predicted; // class
    uint64_t number;    // of the row in the data
};

struct thin {
    struct thin_point *points; // [count] kept
    size_t count, capacity;
    double share;       // size of a cell as a share of the range
    struct point range; // when the grid was made
    struct point cell;  // the size of one
    uint32_t *slots; // [THIN_SLOTS] hash table: index of a point + 1, 0: free; NULL: all are kept
    struct point low, high; // of all points
    uint64_t seen;
};

#define THIN_MAX 6000
#define THIN_SLOTS 16384
#define THIN_KINDS 1000

// `thin` is all zero at first; the caller calls thin_free. False: out of memory.
bool thin_add(struct thin *thin, const struct thin_point *point);
void thin_free(struct thin *thin);

// ---- the rows as points, and their counts

// The kind of a point (struct thin_point): its class and its rings.
enum { POINT_WRONG = 1, POINT_SUPPORT = 2, POINT_CLASS = 4 };

#define NEAREST_MAX 64

struct row_points {
    struct thin thin;
    size_t classes;
    uint64_t *of_class;             // [classes + 1] number of rows; the last: unknown labels
    uint64_t rows, labelled, right; // right: of the labelled
    uint64_t supports;              // support rows
    const uint64_t *support_lines;  // [support_count] lines of the file, ascending
    size_t support_count;
    // Two classes with a line: the rows nearest to it, by the value of its function.
    const struct linear *line; // see field_line; NULL: none, or not exact
    struct near {
        double away;
        struct point at;
    } nearest[NEAREST_MAX]; // ascending
    size_t nearest_count;
};

// Reads all rows. The caller calls thin_free, also after an error.
tlu_status points_read(struct row_points *points, struct row_reader *rows,
                       const struct plane_view *view, tlu_error *error);

// ---- predictions at places of the plane. Linear and kernel models are reduced to a few numbers
// per column or support, so that a prediction does not need all features.

struct model_field {
    const tlu_model *model;
    const struct plane_view *view;
    size_t threads;
    bool linear;
    // Linear: the score of a column is part[0] + part[1] x + part[2] y. Kernel: this is the dot
    // product with a support, and the squared norm of the place is norm[0] + norm[1] x + norm[2] y
    // + norm[3] x^2 + norm[4] x y + norm[5] y^2.
    double *part[3]; // [columns or supports]
    double norm[6];
};

tlu_status field_make(struct model_field *field, const struct row_reader *rows,
                      const struct plane_view *view, tlu_error *error);
// A function for struct region_field.
tlu_status field_label(void *field, const struct point *at, size_t count, uint32_t *labels,
                       tlu_error *error);
// Two classes, linear: *f >= 0 is the positive class. False: another kind of
// model, or a threshold that puts all rows into one class.
bool field_line(const struct model_field *field, struct linear *f);
// Whether predictions are so slow that a coarse grid should come first.
bool field_is_slow(const struct model_field *field);
// Whether the model is the largest margin with a kernel, of two classes: its margins are the
// contours on which the score is 1 and -1.
bool field_has_margins(const struct model_field *field);
// The label of a place is the number of the contours below its score: 0, 1 or 2.
tlu_status field_label_margins(void *field, const struct point *at, size_t count, uint32_t *labels,
                               tlu_error *error);

#endif
