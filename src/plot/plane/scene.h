// A picture of rows, and of a model in their plane.
#ifndef TLU_PLOT_PLANE_SCENE_H
#define TLU_PLOT_PLANE_SCENE_H

#include "plot/plane/field.h"
#include "plot/plane/points.h"
#include "plot/plot.h"
#include "tlu_proof.h"

#define RINGS_MAX 300 // with more support rows than this, rings would hide the points

struct scene {
    const struct plot *plot;
    struct row_reader rows;
    tlu_model *learned;     // from the data
    const tlu_model *model; // that, or the given one; NULL: only points
    bool own_data;          // the model was trained on this data, as far as is known
    bool one_class;         // all rows have one label
    struct plane_view view;
    struct model_field field;
    struct row_points points;
    uint64_t *support_lines; // [points.support_count]
    // Two classes, linear:
    bool has_line;
    double line[3]; // see field_line
    struct band {
        double away; // value of the line's function on the margin; 0: no margin
        bool soft;   // the soft margin of --C
    } band;
    tlu_verdict verdict; // whether a hyperplane separates the rows, as far as is known
    struct mismatch {
        uint64_t off;     // points at places where the model predicts another class
        uint64_t islands; // points whose class is not predicted at any place near them
    } mismatch;
    bool ambiguous; // predictions at some places
    char *axis_name[2];
    char *caption, *title;
    struct chart chart; // the last one drawn
};

// Fills names of axes, title and caption (caption.c).
tlu_status scene_describe(struct scene *scene, tlu_error *error);
// Adds the page (draw.c).
tlu_status scene_draw(struct scene *scene, tlu_error *error);

// Converts a value of the line's function to a distance in the plane.
double scene_distance(const struct scene *scene, double away);
// Rows on the margin, the first of points.nearest.
size_t scene_on_margin(const struct scene *scene);

#endif
