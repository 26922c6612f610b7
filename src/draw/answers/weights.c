#include "draw/plot.h"

tlu_status plot_weights(struct plot *plot, tlu_error *error)
{
    (void)plot;
    return error_input(error, "there is no picture of the kind weights yet");
}
