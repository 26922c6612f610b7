// A run as an animation: one frame per update, and one before the first.
#include "plot/run/animation.h"

#include <math.h>

#define FRAMES 200  // unless the user wants more
#define POINTS 1000 // drawn in a frame at most
#define FPS 4
#define FEW 20 // frames go slower, so that each can be looked at
#define FPS_OF_FEW 2
#define HELD 4  // seconds for the last frame
#define LOW 240 // points: height of a page without a caption

// What changes from frame to frame is in one line, so that all else stays where it is.
static tlu_status draw_frame(const struct animation *animation, const struct plot *plot,
                             size_t index, tlu_error *error)
{
    const struct moment *moment = &animation->moments[index];
    double own = animation->count <= FEW ? FPS_OF_FEW : FPS;
    double fps = plot->settings->fps > 0 ? plot->settings->fps : own;
    char title[WORDS_SIZE], words[WORDS_SIZE];
    struct page *page;
    TRY(picture_add_page(plot->picture, &page, error));
    page->seconds = index + 1 == animation->count ? fmax(HELD, 1 / fps) : 1 / fps;
    struct frame frame = {.page = page, .place = page_whole(page)};
    bool low = box_height(&frame.place) < LOW; // no room for what the description says, too
    chart_frame(page, animation_title(animation, plot, title, sizeof title),
                low ? NULL : animation_words(animation, words), &frame.place);
    const struct letters letters = {.size = 13, .colour = plot->picture->theme->ink};
    const struct box line = frame.place;
    frame.place.top += page_text_height(page, &letters);
    TRY(frame_draw_moment(&frame, animation, moment, error));
    page_clip(page, NULL);
    frame_words(&frame, animation, moment, &line, 0, &letters);
    return page_end(page, error);
}

static tlu_status draw(struct animation *animation, struct plot *plot, tlu_error *error)
{
    TRY(animation_make(animation, plot, FRAMES, POINTS, error));
    for (size_t i = 0; i < animation->count; i++)
        TRY(draw_frame(animation, plot, i, error));
    return animation_describe(animation, plot, error);
}

tlu_status plot_run(struct plot *plot, tlu_error *error)
{
    struct animation animation;
    tlu_status status = draw(&animation, plot, error);
    animation_free(&animation);
    return status;
}
