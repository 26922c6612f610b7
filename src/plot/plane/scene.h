// A picture of rows and of what a model makes of the plane that they are in.
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
    const tlu_model *model; // that, or the one given; NULL: points alone
    bool own_data;          // that the model was learned from, as far as can be told
    bool one_class;         // so that nothing can be learned
    struct plane_view view;
    struct model_field field;
    struct row_points points;
    uint64_t *support_lines; // [points.support_count]
    // Two classes, linear:
    bool has_line;
    double line[3]; // see field_line
    struct band {
        double away; // what is this far from 0 is on the margin; 0: there is none to draw
        bool soft;   // it is that of --C
    } band;
    tlu_verdict verdict; // whether a hyperplane could be right about all rows, as far as is known
    struct mismatch {
        uint64_t off;     // points shown at a place that the model gives another class
        uint64_t islands; // points whose class is not that of any place near them
    } mismatch;
    bool ambiguous; // some places of the plane are
    char *axis_name[2];
    char *caption, *title;
    struct chart chart; // as drawn last: where it is and what it shows
};

// Fills names of axes, title and caption (words.c).
tlu_status scene_describe(struct scene *scene, tlu_error *error);
// Adds the page (paint.c).
tlu_status scene_draw(struct scene *scene, tlu_error *error);

// The distance that goes with what is 0 on the line, in the units of the plane.
double scene_distance(const struct scene *scene, double away);
// Rows on the margin, the first of points.nearest.
size_t scene_on_margin(const struct scene *scene);

#endif
