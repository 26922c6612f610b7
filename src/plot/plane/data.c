#include "plot/plane/scene.h"

tlu_status plot_data(struct plot *plot, tlu_error *error)
{
    struct scene scene = {0};
    tlu_status status = scene_make(&scene, plot, error);
    if (status == TLU_OK)
        status = scene_describe(&scene, error);
    if (status == TLU_OK)
        status = scene_draw(&scene, error);
    scene_free(&scene);
    return status;
}
