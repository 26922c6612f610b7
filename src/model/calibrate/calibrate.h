// --calibrate: fits a calibration to out-of-fold scores (calibration/calibration.h).
#ifndef TLU_MODEL_CALIBRATE_CALIBRATE_H
#define TLU_MODEL_CALIBRATE_CALIBRATE_H

#include "model/model.h"
#include "train/train.h"

#define CALIBRATE_FOLDS 5

// What a calibration needs from the training before it. All zero: no calibration.
struct calibrator {
    const char *path;
    tlu_split *split;     // into folds
    unsigned char *bytes; // of data that can be read only once
    struct progress_reporter reporter;
    tlu_options *technical; // threads and memory, as given
};

// Before the training: divides its rows into folds if --calibrate is set. Close it also after an
// error.
tlu_status calibrator_open(struct calibrator *calibrator, struct training *training,
                           const tlu_options *options, tlu_error *error);
// After the training: fits the model's calibration. If the caller's function ends this early, the
// model has no calibration.
tlu_status calibrator_run(const struct calibrator *calibrator, tlu_model *model, tlu_error *error);
void calibrator_close(struct calibrator *calibrator);

// Copies the model of a complete training and calibrates it on the rows of `training`, which was
// not started.
tlu_status model_calibrate(struct training *training, const tlu_options *options,
                           const tlu_model *complete, tlu_model **model, tlu_error *error);

// Whether the training is complete and the calibration is missing.
bool model_lacks_calibration(const tlu_model *model);

#endif
