#include "draw/plot.h"

tlu_status plot_roc(struct plot *plot, tlu_error *error)
{
    (void)plot;
    return error_input(error, "there is no picture of the kind roc yet");
}

tlu_status plot_pr(struct plot *plot, tlu_error *error)
{
    (void)plot;
    return error_input(error, "there is no picture of the kind pr yet");
}
