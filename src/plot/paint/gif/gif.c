// Animations by giflib. A page is painted twice: once to see which colours there are, once to write
// it, so that memory is needed for two frames, however many there are. A frame has the rectangle
// that differs from what is already shown, and leaves what does not differ.
#include "base/memory.h"
#include "plot/paint/gif/giflib.h"
#include "plot/paint/gif/palette.h"
#include "plot/paint/paint.h"
#include "tlu_plot.h"

#include <math.h>
#include <string.h>

#if defined(TLU_HAVE_GIF) && defined(TLU_HAVE_CAIRO)

#define USUAL_SECONDS 0.25
#define MIN_DELAY 2 // hundredths of a second: browsers slow down what is faster
#define MAX_DELAY 65535

struct animation {
    struct giflib giflib;
    GifFileType *file;
    struct bytes *to;
    struct palette palette;
    int left_alone; // the index that means: as before; -1 if there is one frame only
    size_t width, height;
    uint8_t *shown; // [height][width], indices of the palette
    uint8_t *next;  // of the frame to be written
};

struct area {
    size_t left, top, right, bottom;
};

static int take_bytes(GifFileType *file, const GifByteType *data, int size)
{
    struct bytes *to = file->UserData;
    bytes_add(to, data, (size_t)size);
    return to->failed ? 0 : size;
}

// ---- the head: sizes, colours, that it begins again, and what is to be seen

static bool put_screen(struct animation *of)
{
    GifColorType colours[PALETTE_MAX] = {{0, 0, 0}};
    size_t used = of->palette.count + (of->left_alone >= 0);
    ColorMapObject map = {.ColorCount = 2, .BitsPerPixel = 1, .Colors = colours};
    for (size_t i = 0; i < of->palette.count; i++) {
        colour is = of->palette.colours[i];
        colours[i] = (GifColorType){(GifByteType)(is >> 16), (GifByteType)(is >> 8 & 255),
                                    (GifByteType)(is & 255)};
    }
    while ((size_t)map.ColorCount < used) {
        map.ColorCount *= 2;
        map.BitsPerPixel++;
    }
    of->giflib.EGifSetGifVersion(of->file, true);
    return of->giflib.EGifPutScreenDesc(of->file, (int)of->width, (int)of->height, 8, 0, &map) ==
           GIF_OK;
}

static bool put_loop(struct animation *of)
{
    static const unsigned char for_ever[3] = {1, 0, 0};
    return of->giflib.EGifPutExtensionLeader(of->file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           of->giflib.EGifPutExtensionBlock(of->file, 11, "NETSCAPE2.0") == GIF_OK &&
           of->giflib.EGifPutExtensionBlock(of->file, 3, for_ever) == GIF_OK &&
           of->giflib.EGifPutExtensionTrailer(of->file) == GIF_OK;
}

static bool put_head(struct animation *of, const tlu_picture *picture)
{
    return put_screen(of) && (picture->page_count < 2 || put_loop(of)) &&
           (!*picture->title || of->giflib.EGifPutComment(of->file, picture->title) == GIF_OK) &&
           (!*picture->caption || of->giflib.EGifPutComment(of->file, picture->caption) == GIF_OK);
}

// ---- frames

// What differs from the frame before; of equal frames a single pixel, as each must have one.
static struct area find_change(const struct animation *of)
{
    struct area area = {of->width, of->height, 0, 0};
    for (size_t y = 0; y < of->height; y++) {
        const uint8_t *old = of->shown + y * of->width, *new = of->next + y * of->width;
        if (memcmp(old, new, of->width) == 0)
            continue;
        size_t left = 0, right = of->width;
        while (old[left] == new[left])
            left++;
        while (old[right - 1] == new[right - 1])
            right--;
        area.left = left < area.left ? left : area.left;
        area.right = right > area.right ? right : area.right;
        area.top = area.bottom ? area.top : y;
        area.bottom = y + 1;
    }
    return area.bottom ? area : (struct area){0, 0, 1, 1};
}

static bool put_control(struct animation *of, const struct page *page, int left_alone)
{
    GifByteType block[4];
    double seconds = page->seconds > 0 ? page->seconds : USUAL_SECONDS;
    double delay = fmin(MAX_DELAY, fmax(MIN_DELAY, round(100 * seconds)));
    const GraphicsControlBlock control = {
        .DisposalMode = DISPOSE_DO_NOT, .DelayTime = (int)delay, .TransparentColor = left_alone};
    of->giflib.EGifGCBToExtension(&control, block);
    return of->giflib.EGifPutExtension(of->file, GRAPHICS_EXT_FUNC_CODE, sizeof block, block) ==
           GIF_OK;
}

static bool put_area(struct animation *of, const struct area *area)
{
    size_t width = area->right - area->left;
    if (of->giflib.EGifPutImageDesc(of->file, (int)area->left, (int)area->top, (int)width,
                                    (int)(area->bottom - area->top), false, NULL) != GIF_OK)
        return false;
    for (size_t y = area->top; y < area->bottom; y++)
        if (of->giflib.EGifPutLine(of->file, of->next + y * of->width + area->left, (int)width) !=
            GIF_OK)
            return false;
    return true;
}

static bool put_frame(struct animation *of, const struct page *page, bool first)
{
    struct area area = {0, 0, of->width, of->height};
    if (first) {
        memcpy(of->shown, of->next, of->width * of->height);
        return put_control(of, page, NO_TRANSPARENT_COLOR) && put_area(of, &area);
    }
    area = find_change(of);
    for (size_t y = area.top; y < area.bottom; y++)
        for (size_t i = y * of->width + area.left; i < y * of->width + area.right; i++) {
            if (of->shown[i] == of->next[i])
                of->next[i] = (uint8_t)of->left_alone;
            else
                of->shown[i] = of->next[i];
        }
    return put_control(of, page, of->left_alone) && put_area(of, &area);
}

// ---- the walks

static tlu_status see_colours(struct animation *of, const tlu_picture *picture, tlu_error *error)
{
    for (size_t i = 0; i < picture->page_count; i++) {
        struct pixels pixels;
        TRY(paint_pixels(picture, picture->pages[i], &pixels, error));
        bool seen = palette_see(&of->palette, pixels.at, pixels.width * pixels.height);
        memory_free(pixels.at);
        TRY(enough_memory(seen, error));
        of->width = pixels.width;
        of->height = pixels.height;
    }
    bool several = picture->page_count > 1;
    palette_choose(&of->palette, several ? PALETTE_MAX - 1 : PALETTE_MAX);
    of->left_alone = several ? (int)of->palette.count : NO_TRANSPARENT_COLOR;
    of->shown = memory_new(of->width * of->height, 1);
    of->next = memory_new(of->width * of->height, 1);
    return enough_memory(of->shown && of->next, error);
}

static tlu_status giflib_failed(const struct animation *of, int code, tlu_error *error)
{
    if (of->to->failed || code == E_GIF_ERR_NOT_ENOUGH_MEM)
        return error_memory(error);
    const char *why = of->giflib.GifErrorString(code);
    return error_system(error, "giflib could not write the animation: %s", why ? why : "unknown");
}

static tlu_status put_frames(struct animation *of, const tlu_picture *picture, tlu_error *error)
{
    if (!put_head(of, picture))
        return giflib_failed(of, of->file->Error, error);
    for (size_t i = 0; i < picture->page_count; i++) {
        struct pixels pixels;
        TRY(paint_pixels(picture, picture->pages[i], &pixels, error));
        palette_indices(&of->palette, pixels.at, of->width * of->height, of->next);
        memory_free(pixels.at);
        if (!put_frame(of, picture->pages[i], i == 0))
            return giflib_failed(of, of->file->Error, error);
    }
    return TLU_OK;
}

static tlu_status write_gif(struct animation *of, const tlu_picture *picture, tlu_error *error)
{
    int code = 0;
    TRY(see_colours(of, picture, error));
    of->file = of->giflib.EGifOpen(of->to, take_bytes, &code);
    if (!of->file)
        return giflib_failed(of, code, error);
    tlu_status status = put_frames(of, picture, error);
    int closed = of->giflib.EGifCloseFile(of->file, &code);
    if (status == TLU_OK && closed != GIF_OK)
        status = giflib_failed(of, code, error);
    return status;
}

tlu_status paint_gif(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    struct animation animation = {.to = to, .left_alone = NO_TRANSPARENT_COLOR};
    if (!giflib_load(&animation.giflib))
        return error_system(error, "giflib, which makes animations, cannot be loaded (Debian: "
                                   "libgif7); .svg, .png and .pdf do without it");
    tlu_status status = write_gif(&animation, picture, error);
    palette_free(&animation.palette);
    memory_free(animation.shown);
    memory_free(animation.next);
    return status;
}

#else

tlu_status paint_gif(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    (void)picture, (void)to;
    return error_system(error, "this tlu was built without giflib, which makes animations; .svg, "
                               ".png and .pdf do without it");
}
#endif
