#include "CFiles.h"

// In an object that is linked only with a program of a release.
extern const char nb_commit[] __attribute__((weak));

const char *nb_build_commit(void) {
    return nb_commit ? nb_commit : "";
}
