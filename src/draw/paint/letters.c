// A picture as the letters of a terminal.
#include "draw/paint/paint.h"

tlu_status paint_text(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    (void)picture, (void)to;
    return error_system(error, "there is nothing that draws on a terminal");
}
