#include "draw/plot.h"

tlu_status plot_confusion(struct plot *plot, tlu_error *error)
{
    (void)plot;
    return error_input(error, "there is no picture of the kind confusion yet");
}
