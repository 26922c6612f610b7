// GIF, written by giflib. Each page is painted twice, to count colours and to write it, so that
// memory holds two frames at a time. A frame contains the rectangle that differs from the last one;
// unchanged pixels in it are transparent.
#include "base/load/library.h"
#include "base/memory.h"
#include "plot/paint/paint.h"
#include "plot/theme.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#if defined(TLU_HAVE_GIF) && defined(TLU_HAVE_CAIRO)
#include <gif_lib.h>

// ---- giflib 5, loaded when an animation is first written

#define GIFLIB_FUNCTIONS(ROW)                                                                      \
    ROW(EGifOpen)                                                                                  \
    ROW(EGifCloseFile)                                                                             \
    ROW(EGifSetGifVersion)                                                                         \
    ROW(EGifPutScreenDesc)                                                                         \
    ROW(EGifPutImageDesc)                                                                          \
    ROW(EGifPutLine)                                                                               \
    ROW(EGifPutComment)                                                                            \
    ROW(EGifPutExtensionLeader)                                                                    \
    ROW(EGifPutExtensionBlock)                                                                     \
    ROW(EGifPutExtensionTrailer)                                                                   \
    ROW(EGifPutExtension)                                                                          \
    ROW(EGifGCBToExtension)                                                                        \
    ROW(GifErrorString)

struct giflib {
#define GIFLIB_FIELD(name) __typeof__(&name) name;
    GIFLIB_FUNCTIONS(GIFLIB_FIELD)
#undef GIFLIB_FIELD
};

#define GIFLIB_FILE "libgif.so.7"

static bool giflib_load(struct giflib *giflib)
{
#define GIFLIB_NAME(name) #name,
    static const char *const names[] = {GIFLIB_FUNCTIONS(GIFLIB_NAME)};
#undef GIFLIB_NAME
    _Static_assert(sizeof names == sizeof *giflib, "a name for each pointer");
    return library_load(GIFLIB_FILE, names, giflib, LIBRARY_COUNT(*giflib), false, NULL) ==
           LIBRARY_LOADED;
}

// ---- the palette: at most 256 colours for all pixels of an animation

struct hue {
    colour colour;
    uint32_t away; // from the nearest chosen colour, squared
    uint64_t pixels;
    uint8_t nearest; // of the chosen
};

#define PALETTE_MAX 256

struct palette {
    colour colours[PALETTE_MAX];
    size_t count;
    struct hue *hues; // every colour that was seen, once each
    size_t hue_count, hue_capacity;
    uint32_t *slots; // [slot_count]: where a colour is found among them, plus 1; a power of two
    size_t slot_count;
};

#define FIRST_SLOTS 1024

// ---- which colours there are

static size_t slot_of(const struct palette *palette, colour wanted)
{
    assert(palette->hue_count < palette->slot_count);
    assert((palette->slot_count & (palette->slot_count - 1)) == 0); // a power of two
    size_t slot = (wanted * 0x9e3779b1u >> 8) & (palette->slot_count - 1);
    while (palette->slots[slot] && palette->hues[palette->slots[slot] - 1].colour != wanted)
        slot = (slot + 1) & (palette->slot_count - 1);
    return slot;
}

static bool widen(struct palette *palette)
{
    size_t count = palette->slot_count ? 2 * palette->slot_count : FIRST_SLOTS;
    uint32_t *slots = memory_new(count, sizeof *slots);
    if (!slots)
        return false;
    memory_free(palette->slots);
    palette->slots = slots;
    palette->slot_count = count;
    for (size_t i = 0; i < palette->hue_count; i++)
        slots[slot_of(palette, palette->hues[i].colour)] = (uint32_t)(i + 1);
    return true;
}

// NULL: out of memory.
static struct hue *find_or_add(struct palette *palette, colour wanted)
{
    if (2 * palette->hue_count >= palette->slot_count && !widen(palette))
        return NULL;
    uint32_t *place = &palette->slots[slot_of(palette, wanted)];
    if (*place)
        return &palette->hues[*place - 1];
    if (!memory_reserve(&palette->hues, &palette->hue_capacity, palette->hue_count + 1,
                        sizeof *palette->hues))
        return NULL;
    palette->hues[palette->hue_count++] = (struct hue){wanted, UINT32_MAX, 0, 0};
    *place = (uint32_t)palette->hue_count;
    return &palette->hues[palette->hue_count - 1];
}

// Counts the colours of these pixels; false: out of memory.
static bool palette_see(struct palette *palette, const uint32_t *pixels, size_t count)
{
    struct hue *hue = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!hue || hue->colour != pixels[i]) {
            hue = find_or_add(palette, pixels[i]);
            if (!hue)
                return false;
        }
        hue->pixels++;
    }
    return true;
}

// ---- which of them are chosen

static uint32_t apart(colour a, colour b)
{
    int red = (int)(a >> 16 & 255) - (int)(b >> 16 & 255);
    int green = (int)(a >> 8 & 255) - (int)(b >> 8 & 255);
    int blue = (int)(a & 255) - (int)(b & 255);
    return (uint32_t)(3 * red * red + 4 * green * green + 2 * blue * blue); // as eyes see them
}

// Chooses at most `most` of the colours that were seen. The next one has the largest total error of
// its pixels: first backgrounds, then rare colours unlike the others, then shades of edges.
static void palette_choose(struct palette *palette, size_t most)
{
    palette->count = 0;
    while (palette->count < most) {
        struct hue *worst = NULL;
        for (size_t i = 0; i < palette->hue_count; i++) {
            struct hue *hue = &palette->hues[i];
            if (hue->away &&
                (!worst || (double)hue->pixels * hue->away > (double)worst->pixels * worst->away))
                worst = hue;
        }
        if (!worst)
            return;
        colour chosen = worst->colour;
        for (size_t i = 0; i < palette->hue_count; i++) {
            struct hue *hue = &palette->hues[i];
            uint32_t away = apart(hue->colour, chosen);
            if (away < hue->away) {
                hue->away = away;
                hue->nearest = (uint8_t)palette->count;
            }
        }
        palette->colours[palette->count++] = chosen;
    }
}

// The nearest chosen colour of each pixel.
static void palette_indices(const struct palette *palette, const uint32_t *pixels, size_t count,
                            uint8_t *indices)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && pixels[i] == pixels[i - 1])
            indices[i] = indices[i - 1];
        else {
            size_t slot = slot_of(palette, pixels[i]);
            assert(palette->slots[slot]); // palette_see has seen the colour
            indices[i] = palette->hues[palette->slots[slot] - 1].nearest;
        }
    }
}

// ---- the file

#define USUAL_SECONDS 0.25
#define MIN_DELAY 2 // hundredths of a second: browsers slow down what is faster
#define MAX_DELAY 65535

struct gif_writer {
    struct giflib giflib;
    GifFileType *file;
    struct byte_buffer *to;
    struct palette palette;
    int left_alone; // the transparent index; -1 if there is only one frame
    size_t width, height;
    uint8_t *shown; // [height][width], indices of the palette
    uint8_t *next;  // of the frame to be written
};

struct area {
    size_t left, top, right, bottom;
};

static int write_bytes(GifFileType *file, const GifByteType *data, int size)
{
    struct byte_buffer *to = file->UserData;
    buffer_add(to, data, (size_t)size);
    return to->failed ? 0 : size;
}

// ---- the header: size, colours, loop, title and caption

static bool put_screen(struct gif_writer *gif)
{
    GifColorType colours[PALETTE_MAX] = {{0, 0, 0}};
    size_t used = gif->palette.count + (gif->left_alone >= 0);
    ColorMapObject map = {.ColorCount = 2, .BitsPerPixel = 1, .Colors = colours};
    for (size_t i = 0; i < gif->palette.count; i++) {
        colour is = gif->palette.colours[i];
        colours[i] = (GifColorType){(GifByteType)(is >> 16), (GifByteType)(is >> 8 & 255),
                                    (GifByteType)(is & 255)};
    }
    while ((size_t)map.ColorCount < used) {
        map.ColorCount *= 2;
        map.BitsPerPixel++;
    }
    gif->giflib.EGifSetGifVersion(gif->file, true);
    return gif->giflib.EGifPutScreenDesc(gif->file, (int)gif->width, (int)gif->height, 8, 0,
                                         &map) == GIF_OK;
}

static bool put_loop(struct gif_writer *gif)
{
    static const unsigned char for_ever[3] = {1, 0, 0};
    return gif->giflib.EGifPutExtensionLeader(gif->file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           gif->giflib.EGifPutExtensionBlock(gif->file, 11, "NETSCAPE2.0") == GIF_OK &&
           gif->giflib.EGifPutExtensionBlock(gif->file, 3, for_ever) == GIF_OK &&
           gif->giflib.EGifPutExtensionTrailer(gif->file) == GIF_OK;
}

static bool put_head(struct gif_writer *gif, const tlu_picture *picture)
{
    return put_screen(gif) && (picture->page_count < 2 || put_loop(gif)) &&
           (!*picture->title || gif->giflib.EGifPutComment(gif->file, picture->title) == GIF_OK) &&
           (!*picture->caption ||
            gif->giflib.EGifPutComment(gif->file, picture->caption) == GIF_OK);
}

// ---- frames

// The rectangle that differs from the last frame; a single pixel if they are equal, since a frame
// has at least one.
static struct area find_change(const struct gif_writer *gif)
{
    struct area area = {gif->width, gif->height, 0, 0};
    for (size_t y = 0; y < gif->height; y++) {
        const uint8_t *old = gif->shown + y * gif->width, *new = gif->next + y * gif->width;
        if (memcmp(old, new, gif->width) == 0)
            continue;
        size_t left = 0, right = gif->width;
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

static bool put_control(struct gif_writer *gif, const struct page *page, int left_alone)
{
    GifByteType block[4];
    double seconds = page->seconds > 0 ? page->seconds : USUAL_SECONDS;
    double delay = fmin(MAX_DELAY, fmax(MIN_DELAY, round(100 * seconds)));
    const GraphicsControlBlock control = {
        .DisposalMode = DISPOSE_DO_NOT, .DelayTime = (int)delay, .TransparentColor = left_alone};
    gif->giflib.EGifGCBToExtension(&control, block);
    return gif->giflib.EGifPutExtension(gif->file, GRAPHICS_EXT_FUNC_CODE, sizeof block, block) ==
           GIF_OK;
}

static bool put_area(struct gif_writer *gif, const struct area *area)
{
    size_t width = area->right - area->left;
    if (gif->giflib.EGifPutImageDesc(gif->file, (int)area->left, (int)area->top, (int)width,
                                     (int)(area->bottom - area->top), false, NULL) != GIF_OK)
        return false;
    for (size_t y = area->top; y < area->bottom; y++)
        if (gif->giflib.EGifPutLine(gif->file, gif->next + y * gif->width + area->left,
                                    (int)width) != GIF_OK)
            return false;
    return true;
}

static bool put_frame(struct gif_writer *gif, const struct page *page, bool first)
{
    struct area area = {0, 0, gif->width, gif->height};
    if (first) {
        memcpy(gif->shown, gif->next, gif->width * gif->height);
        return put_control(gif, page, NO_TRANSPARENT_COLOR) && put_area(gif, &area);
    }
    area = find_change(gif);
    for (size_t y = area.top; y < area.bottom; y++)
        for (size_t i = y * gif->width + area.left; i < y * gif->width + area.right; i++) {
            if (gif->shown[i] == gif->next[i])
                gif->next[i] = (uint8_t)gif->left_alone;
            else
                gif->shown[i] = gif->next[i];
        }
    return put_control(gif, page, gif->left_alone) && put_area(gif, &area);
}

// ---- the walks

static tlu_status see_colours(struct gif_writer *gif, const tlu_picture *picture, tlu_error *error)
{
    for (size_t i = 0; i < picture->page_count; i++) {
        struct pixels pixels;
        TRY(paint_pixels(picture, picture->pages[i], &pixels, error));
        bool seen = palette_see(&gif->palette, pixels.at, pixels.width * pixels.height);
        memory_free(pixels.at);
        TRY(enough_memory(seen, error));
        gif->width = pixels.width;
        gif->height = pixels.height;
    }
    bool several = picture->page_count > 1;
    palette_choose(&gif->palette, several ? PALETTE_MAX - 1 : PALETTE_MAX);
    gif->left_alone = several ? (int)gif->palette.count : NO_TRANSPARENT_COLOR;
    gif->shown = memory_new(gif->width * gif->height, 1);
    gif->next = memory_new(gif->width * gif->height, 1);
    return enough_memory(gif->shown && gif->next, error);
}

static tlu_status giflib_failed(const struct gif_writer *gif, int code, tlu_error *error)
{
    if (gif->to->failed || code == E_GIF_ERR_NOT_ENOUGH_MEM)
        return error_memory(error);
    const char *why = gif->giflib.GifErrorString(code);
    return error_system(error, "giflib could not write the animation: %s", why ? why : "unknown");
}

static tlu_status put_frames(struct gif_writer *gif, const tlu_picture *picture, tlu_error *error)
{
    if (!put_head(gif, picture))
        return giflib_failed(gif, gif->file->Error, error);
    for (size_t i = 0; i < picture->page_count; i++) {
        struct pixels pixels;
        TRY(paint_pixels(picture, picture->pages[i], &pixels, error));
        palette_indices(&gif->palette, pixels.at, gif->width * gif->height, gif->next);
        memory_free(pixels.at);
        if (!put_frame(gif, picture->pages[i], i == 0))
            return giflib_failed(gif, gif->file->Error, error);
    }
    return TLU_OK;
}

static tlu_status write_gif(struct gif_writer *gif, const tlu_picture *picture, tlu_error *error)
{
    int code = 0;
    TRY(see_colours(gif, picture, error));
    gif->file = gif->giflib.EGifOpen(gif->to, write_bytes, &code);
    if (!gif->file)
        return giflib_failed(gif, code, error);
    tlu_status status = put_frames(gif, picture, error);
    int closed = gif->giflib.EGifCloseFile(gif->file, &code);
    if (status == TLU_OK && closed != GIF_OK)
        status = giflib_failed(gif, code, error);
    return status;
}

tlu_status paint_gif(const tlu_picture *picture, struct byte_buffer *to, tlu_error *error)
{
    struct gif_writer writer = {.to = to, .left_alone = NO_TRANSPARENT_COLOR};
    if (!giflib_load(&writer.giflib))
        return error_system(error, "giflib, which makes animations, cannot be loaded (Debian: "
                                   "libgif7); .svg, .png and .pdf do without it");
    tlu_status status = write_gif(&writer, picture, error);
    memory_free(writer.palette.hues);
    memory_free(writer.palette.slots);
    memory_free(writer.shown);
    memory_free(writer.next);
    return status;
}

#endif
