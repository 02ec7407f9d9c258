#pragma once
#include "CImageCodecs.h"

/// Writes a message and returns the status, so that a failure is one line.
nb_status nb_fail(nb_error *error, nb_status status, const char *message);
