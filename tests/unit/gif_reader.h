// A plain reader of GIF files: every frame as it is seen. It stops the test at what is no GIF.
#ifndef TLU_TESTS_GIF_READER_H
#define TLU_TESTS_GIF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct gif_frame {
    size_t left, top, width, height;
    int delay;        // hundredths of a second
    uint32_t *pixels; // [height][width] of the whole screen, 0xRRGGBB
};

struct gif {
    const uint8_t *bytes;
    size_t size, at;
    size_t width, height;
    size_t colours;
    uint32_t palette[256];
    int loops; // -1: it is played once; 0: for ever
    size_t frame_count;
    struct gif_frame frames[1000];
    int delay, transparent; // of the frame to come
};

static inline int gif_byte(struct gif *gif)
{
    assert_true(gif->at < gif->size);
    return gif->bytes[gif->at++];
}

static inline size_t gif_number(struct gif *gif)
{
    size_t low = (size_t)gif_byte(gif);
    return low | (size_t)gif_byte(gif) << 8;
}

// The data of all blocks up to the empty one, with nothing between them; the caller frees it.
static inline uint8_t *gif_blocks(struct gif *gif, size_t *size)
{
    uint8_t *data = malloc(gif->size);
    *size = 0;
    for (int length = gif_byte(gif); length > 0; length = gif_byte(gif))
        while (length-- > 0)
            data[(*size)++] = (uint8_t)gif_byte(gif);
    return data;
}

static inline void gif_extension(struct gif *gif)
{
    int kind = gif_byte(gif);
    size_t size;
    uint8_t *data = gif_blocks(gif, &size);
    if (kind == 0xf9) {
        assert_int_equal(size, 4);
        assert_int_equal(data[0] >> 2 & 7, 1); // what was shown stays
        gif->delay = data[1] | data[2] << 8;
        gif->transparent = data[0] & 1 ? data[3] : -1;
    } else if (kind == 0xff && size == 14 && memcmp(data, "NETSCAPE2.0\1", 12) == 0) {
        gif->loops = data[12] | data[13] << 8;
    }
    free(data);
}

// LZW as in the GIF specification, appendix F. Codes are looked up back to front.
static inline void gif_unpack(const uint8_t *data, size_t size, int smallest, uint8_t *to,
                              size_t count)
{
    static uint16_t before[4096], length[4096];
    static uint8_t last[4096];
    int clear = 1 << smallest, end = clear + 1, next = end + 1, bits = smallest + 1, old = -1;
    size_t bit = 0, made = 0;
    for (;;) {
        int code = 0;
        assert_true(bit + (size_t)bits <= 8 * size);
        for (int i = 0; i < bits; i++, bit++)
            code |= (data[bit / 8] >> bit % 8 & 1) << i;
        if (code == end)
            break;
        if (code == clear) {
            next = end + 1;
            bits = smallest + 1;
            old = -1;
            continue;
        }
        assert_true(code < next || (code == next && old >= 0));
        int from = code == next ? old : code;
        size_t run = (from < clear ? 1u : length[from]) + (code == next);
        assert_true(made + run <= count);
        size_t place = made + run - (code == next);
        for (int c = from;; c = before[c]) {
            to[--place] = c < clear ? (uint8_t)c : last[c];
            if (c < clear)
                break;
        }
        if (code == next)
            to[made + run - 1] = to[made];
        if (old >= 0 && next < 4096) {
            before[next] = (uint16_t)old;
            length[next] = (uint16_t)((old < clear ? 1 : length[old]) + 1);
            last[next++] = to[made];
        }
        if (next == 1 << bits && bits < 12)
            bits++;
        made += run;
        old = code;
    }
    assert_int_equal(made, count);
}

static inline void gif_image(struct gif *gif)
{
    assert_true(gif->frame_count < 1000);
    struct gif_frame *frame = &gif->frames[gif->frame_count];
    frame->left = gif_number(gif);
    frame->top = gif_number(gif);
    frame->width = gif_number(gif);
    frame->height = gif_number(gif);
    frame->delay = gif->delay;
    assert_int_equal(gif_byte(gif), 0); // no palette of its own, not interlaced
    assert_true(frame->left + frame->width <= gif->width);
    assert_true(frame->top + frame->height <= gif->height);
    int smallest = gif_byte(gif);
    size_t size, count = frame->width * frame->height, screen = gif->width * gif->height;
    uint8_t *data = gif_blocks(gif, &size), *indices = malloc(count + 1);
    gif_unpack(data, size, smallest, indices, count);
    frame->pixels = calloc(screen, sizeof *frame->pixels);
    if (gif->frame_count > 0)
        memcpy(frame->pixels, frame[-1].pixels, screen * sizeof *frame->pixels);
    for (size_t i = 0; i < count; i++) {
        size_t y = frame->top + i / frame->width, x = frame->left + i % frame->width;
        assert_true(indices[i] < gif->colours);
        if (indices[i] != gif->transparent)
            frame->pixels[y * gif->width + x] = gif->palette[indices[i]];
    }
    free(indices);
    free(data);
    gif->frame_count++;
}

static inline struct gif *gif_read(const void *bytes, size_t size)
{
    struct gif *gif = calloc(1, sizeof *gif);
    *gif = (struct gif){.bytes = bytes, .size = size, .at = 6, .loops = -1, .transparent = -1};
    assert_true(size > 6);
    assert_memory_equal(bytes, "GIF89a", 6);
    gif->width = gif_number(gif);
    gif->height = gif_number(gif);
    int flags = gif_byte(gif);
    gif->at += 2;
    assert_true(flags & 0x80);
    gif->colours = (size_t)2 << (flags & 7);
    for (size_t i = 0; i < gif->colours; i++)
        for (int k = 0; k < 3; k++)
            gif->palette[i] = gif->palette[i] << 8 | (uint32_t)gif_byte(gif);
    for (int kind = gif_byte(gif); kind != 0x3b; kind = gif_byte(gif)) {
        assert_true(kind == 0x21 || kind == 0x2c);
        if (kind == 0x21)
            gif_extension(gif);
        else
            gif_image(gif);
    }
    assert_int_equal(gif->at, size);
    return gif;
}

static inline void gif_free(struct gif *gif)
{
    for (size_t i = 0; i < gif->frame_count; i++)
        free(gif->frames[i].pixels);
    free(gif);
}

#endif
