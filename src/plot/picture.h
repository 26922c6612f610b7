// A picture: pages, each a list of marks. Making it needs nothing of the output format but the
// width of text, so the same code draws SVG, PNG, PDF, GIF and the characters of a terminal.
//
// Lengths are in points, one pixel each at scale 1; y goes down. A terminal has cells of CELL_WIDTH
// times CELL_HEIGHT points, one character each.
#ifndef TLU_PLOT_PICTURE_H
#define TLU_PLOT_PICTURE_H

#include "base/error.h"
#include "plot/text.h"
#include "plot/theme.h"
#include "tlu_plot.h"

#include <stddef.h>

#define CELL_WIDTH 8
#define CELL_HEIGHT 16

struct point {
    double x, y;
};

static inline struct point point_between(struct point a, struct point b, double share)
{
    return (struct point){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

struct box {
    double left, top, right, bottom;
};

static inline double box_width(const struct box *box)
{
    return box->right - box->left;
}

static inline double box_height(const struct box *box)
{
    return box->bottom - box->top;
}

static inline struct box box_grown(const struct box *box, double by)
{
    return (struct box){box->left - by, box->top - by, box->right + by, box->bottom + by};
}

static inline bool box_contains(const struct box *box, struct point at)
{
    return at.x >= box->left && at.x <= box->right && at.y >= box->top && at.y <= box->bottom;
}

// ---- clipping

// Narrows from ... to, the part of start + part * change that is considered, to values from low to
// high (Liang and Barsky 1984). False: nothing is left.
bool range_cut(double start, double change, double low, double high, double *from, double *to);

// Clips a polygon at the sides of a box, one after the other (Sutherland and Hodgman 1974): takes
// its corners by polygon_point and passes those of the rest to `add`.
struct polygon_cutter {
    struct box within;
    void (*add)(void *context, struct point at);
    void *context;
    struct side_cut {
        struct point first, last;
        bool any;
    } sides[4];
};
void polygon_point(struct polygon_cutter *cutter, struct point at);
void polygon_end(struct polygon_cutter *cutter);
// The distance from a side, positive inside: 0 left, 1 right, 2 top, 3 bottom.
double box_depth(const struct box *box, int side, struct point at);

// ---- marks

enum mark_kind { MARK_PATH, MARK_DOTS, MARK_TEXT, MARK_IMAGE };

// The style of a path or a dot. COLOUR_NONE is not painted.
struct style {
    colour fill;
    colour line;
    double width;        // of the line
    double dash;         // length of its dashes; 0: none
    bool hatched;        // strokes in the colour of the line over the fill
    bool closed;         // the path returns to its start
    double transparency; // of the fill: 0 hides what is below, 1 is invisible
};

static inline struct style line_style(colour line, double width, double dash)
{
    return (struct style){.fill = COLOUR_NONE, .line = line, .width = width, .dash = dash};
}

static inline struct style fill_style(colour fill)
{
    return (struct style){.fill = fill, .line = COLOUR_NONE, .closed = true};
}

// A closed shape with an edge.
static inline struct style edged_style(colour fill, colour line, double width)
{
    return (struct style){.fill = fill, .line = line, .width = width, .closed = true};
}

// Shapes of dots, so that classes differ by more than their colour.
enum shape {
    SHAPE_CIRCLE,
    SHAPE_SQUARE,
    SHAPE_TRIANGLE,
    SHAPE_DIAMOND,
    SHAPE_PLUS,
    SHAPE_CROSS,
    SHAPE_TRIANGLE_DOWN,
    SHAPE_STAR,
    SHAPE_COUNT
};

enum align { ALIGN_START, ALIGN_MIDDLE, ALIGN_END };

struct text_style {
    double size;       // of the font
    enum align across; // which part of the line is at the point
    enum align along;  // the same from top (start) to bottom; middle of the capitals
    bool bold;
    bool upright; // turned by 90 degrees to the left
    colour colour;
};

struct mark {
    enum mark_kind kind;
    struct box clip;     // nothing is painted outside
    struct style style;  // of paths and dots
    size_t first, count; // points of the page: of the path, of the dots, of the text
    size_t first_stroke; // path: the number of points of each of its strokes
    size_t strokes;
    enum shape shape; // of dots
    double radius;
    struct text_style font;
    char *text;     // valid UTF-8
    colour *pixels; // [rows][columns] of an image, which fills the clip
    size_t rows, columns;
};

// A frame of an animation, or the only page.
struct page {
    struct tlu_picture *picture;
    struct mark *marks; // in the order of painting
    size_t count, capacity;
    struct point *points;
    size_t point_count, point_capacity;
    size_t *strokes;
    size_t stroke_count, stroke_capacity;
    double seconds;  // how long a frame is shown
    struct box clip; // of the next marks
};

struct figure {
    char *name;
    double value;
};

struct font; // see paint/paint.h

struct tlu_picture {
    double width, height;
    double scale; // pixels per point of PNG and GIF
    const struct theme *theme;
    struct font *font;
    struct page **pages; // [page_count]
    size_t page_count, page_capacity;
    char *title;            // short
    char *caption;          // one or more sentences that describe the picture
    size_t columns;         // of a terminal; 0: for files
    size_t lines;           // likewise
    bool coloured;          // likewise
    struct figure *figures; // [figure_count]
    size_t figure_count, figure_capacity;
    char *label; // the label column of the data; NULL: none
    const char *label_reason;
    char **notices; // [notice_count] no two are the same
    size_t notice_count, notice_capacity;
    bool failed; // out of memory: a mark, a text or a figure is missing
};

// An empty picture. With columns it is for a terminal, and they determine its width and height;
// otherwise it is for a file, and a missing cairo is TLU_ERROR_SYSTEM. The title is ignored.
tlu_status picture_new(const tlu_picture_style *style, const struct theme *theme,
                       tlu_picture **picture, tlu_error *error);
// Copies both, cleaned like page_text. NULL keeps the old one.
void picture_describe(tlu_picture *picture, const char *title, const char *caption);
// Adds a number for tlu_picture_figure.
void picture_figure(tlu_picture *picture, const char *name, double value);
// Keeps the notices of a training, for tlu_picture_notice, and the label column.
void picture_note(tlu_picture *picture, const tlu_model *model);
// Whether the picture is for a terminal.
static inline bool picture_is_text(const tlu_picture *picture)
{
    return picture->columns > 0;
}

// Functions that return nothing set picture->failed when memory runs out; this reports it.
static inline tlu_status picture_check(const tlu_picture *picture, tlu_error *error)
{
    return enough_memory(!picture->failed, error);
}

// ---- making a page

tlu_status picture_add_page(tlu_picture *picture, struct page **page, tlu_error *error);
// Removes the last page.
void picture_drop_page(tlu_picture *picture);

struct box page_whole(const struct page *page);
struct box mark_bounds(const struct page *page, const struct mark *mark); // around its points
// Clips the next marks; NULL: the whole page.
void page_clip(struct page *page, const struct box *clip);

// A path consists of strokes; the even-odd rule determines the area that is filled.
void path_begin(struct page *page, const struct style *style);
void path_move(struct page *page, double x, double y); // a new stroke begins here
void path_line(struct page *page, double x, double y);
void path_end(struct page *page);

void page_polygon(struct page *page, const struct point *points, size_t count,
                  const struct style *style);
void page_line(struct page *page, struct point from, struct point to, const struct style *style);
void page_box(struct page *page, const struct box *box, const struct style *style);
void page_dots(struct page *page, const struct point *points, size_t count, enum shape shape,
               double radius, const struct style *style);
// Replaces control characters and bytes that are not UTF-8.
void page_text(struct page *page, double x, double y, const char *text,
               const struct text_style *font);
// Copies the pixels and draws them without smoothing. Row 0 is on top.
void page_image(struct page *page, const struct box *box, const colour *pixels, size_t rows,
                size_t columns);

// ---- text

double page_text_width(const struct page *page, const char *text, const struct text_style *font);
double page_text_height(const struct page *page, const struct text_style *font); // of a line
// The text, cut with an ellipsis if it is wider. The caller frees it with memory_free; NULL: out of
// memory.
char *page_text_fitted(const struct page *page, const char *text, const struct text_style *font,
                       double width, enum cut cut);

#endif
