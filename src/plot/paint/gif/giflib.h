// Giflib 5, loaded when an animation is first written.
#ifndef TLU_PLOT_PAINT_GIF_GIFLIB_H
#define TLU_PLOT_PAINT_GIF_GIFLIB_H

#ifdef TLU_HAVE_GIF
#include <gif_lib.h>

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

bool giflib_load(struct giflib *giflib);

#endif
#endif
