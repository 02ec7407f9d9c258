// CIELAB to sRGB, by Little CMS.
#include "internal.h"

#include <lcms2.h>

void *nb_lab_open(int wide, int has_alpha) {
    // The white of D50, as ICC profiles have it and Photoshop writes it.
    cmsHPROFILE from = cmsCreateLab2Profile(NULL), to = cmsCreate_sRGBProfile();
    cmsUInt32Number format = has_alpha ? (wide ? TYPE_RGBA_16 : TYPE_RGBA_8) : (wide ? TYPE_RGB_16 : TYPE_RGB_8);
    cmsHTRANSFORM transform = NULL;
    // Little CMS's table of what is between would take white for a little less.
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
