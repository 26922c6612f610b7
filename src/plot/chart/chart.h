// A chart: axes, grid, legend, title and caption around an area in which data is drawn.
//
//     chart = (struct chart){.page = page, .place = page_whole(page), .x = ..., .y = ...};
//     chart_begin(&chart);           // finds room for everything, paints the ground
//     chart_dots(&chart, ...);       // in the units of the data, clipped to the area
//     chart_end(&chart);             // axes, names, legend
#ifndef TLU_PLOT_CHART_CHART_H
#define TLU_PLOT_CHART_CHART_H

#include "plot/picture.h"

struct axis {
    double low, high;         // widened by chart_begin if they are too close, or not numbers
    const char *label;        // NULL: none
    bool percent;             // values are shares of 1
    bool whole;               // whole numbers alone
    bool degrees;             // parts of a right angle
    bool logarithmic;         // low is above 0
    bool bare;                // no numbers
    const char *const *names; // [name_count] of the places 0, 1, 2, ...; NULL: numbers
    size_t name_count;
};

enum legend_kind { LEGEND_DOT, LEGEND_LINE, LEGEND_AREA };

struct legend_entry {
    const char *text;
    enum legend_kind kind;
    struct look look;
    enum shape shape;
};

// Where things are, found by chart_begin.
struct chart_layout {
    struct box room;   // for axes and area: what title, caption and legend leave
    struct box legend; // empty: none
    size_t legend_columns, legend_rows, legend_shown;
    double x_room, y_room;   // numbers or names: height below, width at the left
    double before, past;     // how far numbers below go past the area
    size_t x_about, y_about; // how many numbers
    size_t x_every, y_every; // names: each, or one in so many
    double x_text, y_text;   // size of letters of numbers and names
    bool turned;             // names below are upright
    bool x_label, y_label;   // there is room for them
};

struct chart {
    struct page *page;
    struct box place;    // for all of it
    const char *title;   // NULL: none
    const char *caption; // below, broken into lines; NULL: none
    struct axis x, y;
    bool square; // one unit is as long across as up: a range is widened; not of logarithms
    bool small;  // one of several in a picture
    const struct legend_entry *legend; // [legend_count] at the right, or below if that is small
    size_t legend_count;
    size_t legend_last; // of these, at the end: those that others make room for
    // Made by chart_begin:
    struct box area; // of the data
    double text;     // size of letters
    struct chart_layout layout;
};

void chart_begin(struct chart *chart);
void chart_end(struct chart *chart);

// From the units of the data to the page. It may be outside of the area.
struct point chart_place(const struct chart *chart, double x, double y);

// All in the units of the data. What is outside of the area is cut off.
void chart_dots(struct chart *chart, const struct point *at, size_t count, enum shape shape,
                double radius, const struct look *look);
void chart_line(struct chart *chart, struct point from, struct point to, const struct look *look);
// Through all points, less those that are too near to the last to be seen; those that are not
// numbers interrupt it.
void chart_curve(struct chart *chart, const struct point *at, size_t count,
                 const struct look *look);
void chart_polygon(struct chart *chart, const struct point *at, size_t count,
                   const struct look *look);
void chart_box(struct chart *chart, struct point from, struct point to, const struct look *look);
// Text at a place, moved so that it stays inside of the area; cut if it is wider.
void chart_note(struct chart *chart, struct point at, const char *text,
                const struct letters *letters);
// An arrow with its head at `to`.
void chart_arrow(struct chart *chart, struct point from, struct point to, const struct look *look);

// A title on top of the box and a caption at its bottom, as a chart has them, for pages of several
// charts; the box is cut down to what is left, without its margins. NULL: none.
void chart_frame(struct page *page, const char *title, const char *caption, struct box *box);

// As page_text, cut to the width with an ellipsis; on a terminal it is moved to whole cells.
void words_fit(struct page *page, double x, double y, const char *text,
               const struct letters *letters, double width);

// The same for names, whose middle is left out.
void words_fit_name(struct page *page, double x, double y, const char *text,
                    const struct letters *letters, double width);
// A copy with at most so many characters and an ellipsis in the middle; freed with memory_free.
// NULL: out of memory.
char *words_shortened(const char *text, size_t keep);

// Places for about so many numbers along an axis, and returns how many; *step is their distance (0
// if logarithmic).
#define TICKS_MAX 32
size_t axis_ticks(const struct axis *axis, size_t about, double places[TICKS_MAX], double *step);
// A number of an axis for people: "0.25", "1,000", "20M", "2e+30", "40%".
#define TICK_SIZE 64
const char *axis_number(char out[TICK_SIZE], const struct axis *axis, double value, double step);

// How a class looks: its dots on any ground, and in the legend.
struct look class_look(const struct theme *theme, size_t class_index);
enum shape class_shape(size_t class_index);

#endif
