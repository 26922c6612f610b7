#include "draw/paint/paint.h"

tlu_status paint_gif(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    (void)picture, (void)to;
    return error_system(error, "this tlu was built without giflib, which makes animations");
}
