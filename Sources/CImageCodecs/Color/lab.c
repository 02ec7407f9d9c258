// CIELAB to sRGB with Little CMS.
#include "internal.h"

#include <lcms2.h>

void *nb_lab_open(int wide, int has_alpha) {
    // The D50 white point, as ICC profiles and Photoshop use it.
    cmsHPROFILE from = cmsCreateLab2Profile(NULL), to = cmsCreate_sRGBProfile();
    cmsUInt32Number format = has_alpha ? (wide ? TYPE_RGBA_16 : TYPE_RGBA_8) : (wide ? TYPE_RGB_16 : TYPE_RGB_8);
    cmsHTRANSFORM transform = NULL;
    // Little CMS's precomputed table would map white to slightly less than white.
    if (from != NULL && to != NULL)
        transform = cmsCreateTransform(from, TYPE_LabV2_16, to, format, INTENT_RELATIVE_COLORIMETRIC,
                                       cmsFLAGS_NOOPTIMIZE);
    if (from != NULL) cmsCloseProfile(from);
    if (to != NULL) cmsCloseProfile(to);
    return transform;
}

void nb_lab_convert(void *transform, const uint16_t *lab, uint8_t *packed, size_t count) {
    cmsDoTransform(transform, lab, packed, (cmsUInt32Number)count);
}

void nb_lab_close(void *transform) {
    if (transform != NULL) cmsDeleteTransform(transform);
}
