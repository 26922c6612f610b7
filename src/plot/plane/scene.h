// A picture of rows, and of a model in their plane.
#ifndef TLU_PLOT_PLANE_SCENE_H
#define TLU_PLOT_PLANE_SCENE_H

#include "plot/plane/view.h"
#include "plot/plot.h"
#include "tlu_proof.h"

#define RINGS_MAX 300 // with more support rows than this, rings would hide the points

struct scene {
    struct plot *plot;
    struct row_reader rows;
    tlu_model *learned;     // from the data
    const tlu_model *model; // that, or the given one; NULL: only points
    bool own_data;          // the model was trained on this data, as far as is known
    bool one_class;         // all rows have one label
    bool exact_places;      // points are not moved to reduce overlaps
    struct plane_view view;
    struct model_field field;
    struct row_points points;
    // Two classes, linear:
    bool has_line;
    struct linear line; // see field_line
    struct band {
        double away;   // value of the line's function on the margin; 0: no margin
        bool soft;     // the soft margin of --C
        bool contours; // with a kernel: those of field_has_margins
    } band;
    tlu_verdict verdict; // whether a hyperplane separates the rows, as far as is known
    struct mismatch {
        uint64_t off;     // points at places where the model predicts another class
        uint64_t islands; // points whose class is not predicted at any place near them
    } mismatch;
    bool ambiguous; // predictions at some places
    const char *axis_name[2];
    // --lines: the lines of one versus rest or one versus one
    bool lines;
    size_t lines_outside; // of the area
    // Several models instead of one:
    struct plane_model *models; // [model_count]
    size_t model_count;
};

#define PLANE_MODELS_MAX 6 // colours besides those of the classes

struct plane_model {
    char name[NAME_SIZE];
    struct linear line;
    uint64_t wrong;       // rows on the side of the other class
    struct point nearest; // row
    double margin;        // its distance from the line
};

// Reads the rows, trains a model unless one is given, and finds the plane. The caller calls
// scene_free, also after an error.
tlu_status scene_read(struct scene *scene, const tlu_plot_data_settings *settings,
                      tlu_error *error);
void scene_free(struct scene *scene);

tlu_status scene_name_axes(struct scene *scene, tlu_error *error);
// Sets names of axes, title and caption (caption.c).
tlu_status scene_describe(struct scene *scene, tlu_error *error);
// Adds the page (draw.c).
tlu_status scene_draw(struct scene *scene, tlu_error *error);

// Several models (models.c).
tlu_status scene_read_models(struct scene *scene, const tlu_plot_data_settings *settings,
                             tlu_error *error);
struct legend_entry scene_model_entry(struct scene *scene, size_t index);
void scene_draw_models(struct chart *chart, const struct scene *scene, double radius);
void scene_say_models(const struct scene *scene);
void scene_model_figures(const struct scene *scene);

// The lines of classes or pairs (lines.c).
tlu_status scene_check_lines(const struct scene *scene, tlu_error *error);
size_t scene_line_count(const struct scene *scene); // 0 without --lines
struct linear scene_line(const struct scene *scene, size_t column);
void scene_draw_lines(struct chart *chart, struct scene *scene);
void scene_line_figures(const struct scene *scene);

// Converts a value of the line's function to a distance in the plane.
double scene_distance(const struct scene *scene, double away);
// Rows on the margin, the first of points.nearest.
size_t scene_on_margin(const struct scene *scene);

#endif
