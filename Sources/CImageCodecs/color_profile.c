// Embedded ICC profiles to sRGB, by Little CMS.
#include "internal.h"

#include <math.h>
#include <stdlib.h>

#include <lcms2.h>

static int near_point(const cmsCIEXYZ *point, double x, double y, double z) {
    return point != NULL && fabs(point->X - x) < 0.003 && fabs(point->Y - y) < 0.003 && fabs(point->Z - z) < 0.003;
}

static int near_curve(const cmsToneCurve *curve) {
    if (curve == NULL) return 0;
    for (int i = 0; i <= 32; i++) {
        double value = i / 32.0;
        double linear = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
        if (fabs(cmsEvalToneCurveFloat(curve, (float)value) - linear) > 0.004) return 0;
    }
    return 1;
}

// Most profiles on the web are some maker's sRGB: IEC 61966-2-1's primaries, adapted to D50, and its curve.
static int is_srgb(cmsHPROFILE profile) {
    return cmsIsMatrixShaper(profile) &&
           near_point(cmsReadTag(profile, cmsSigRedColorantTag), 0.4361, 0.2225, 0.0139) &&
           near_point(cmsReadTag(profile, cmsSigGreenColorantTag), 0.3851, 0.7169, 0.0971) &&
           near_point(cmsReadTag(profile, cmsSigBlueColorantTag), 0.1431, 0.0606, 0.7141) &&
           near_curve(cmsReadTag(profile, cmsSigRedTRCTag)) && near_curve(cmsReadTag(profile, cmsSigGreenTRCTag)) &&
           near_curve(cmsReadTag(profile, cmsSigBlueTRCTag));
}

nb_profile nb_profile_kind(const uint8_t *icc, size_t count) {
    if (count > UINT32_MAX) return NB_PROFILE_BROKEN;
    cmsHPROFILE profile = cmsOpenProfileFromMem(icc, (cmsUInt32Number)count);
    if (profile == NULL) return NB_PROFILE_BROKEN;
    nb_profile kind = NB_PROFILE_BROKEN;
    switch (cmsGetColorSpace(profile)) {
        case cmsSigGrayData: kind = NB_PROFILE_GRAY; break;
        case cmsSigRgbData: kind = is_srgb(profile) ? NB_PROFILE_SRGB : NB_PROFILE_RGB; break;
        case cmsSigCmykData: kind = NB_PROFILE_CMYK; break;
        default: break;
    }
    cmsCloseProfile(profile);
    return kind;
}

static cmsHTRANSFORM open_transform(const uint8_t *icc, size_t count, cmsUInt32Number format) {
    cmsHPROFILE from = cmsOpenProfileFromMem(icc, (cmsUInt32Number)count), to = cmsCreate_sRGBProfile();
    cmsHTRANSFORM transform = NULL;
    if (from != NULL && to != NULL)
        transform = cmsCreateTransform(from, format, to, TYPE_RGB_8, INTENT_PERCEPTUAL, 0);
    if (from != NULL) cmsCloseProfile(from);
    if (to != NULL) cmsCloseProfile(to);
    return transform;
}

static void convert_gray(cmsHTRANSFORM transform, const nb_plane *plane) {
    uint8_t levels[256], colors[768];
    for (int i = 0; i < 256; i++) levels[i] = (uint8_t)i;
    cmsDoTransform(transform, levels, colors, 256);
    for (int32_t y = 0; y < plane->height; y++) {
        uint8_t *row = plane->data + (ptrdiff_t)y * plane->stride;
        for (int32_t x = 0; x < plane->width; x++) row[x] = colors[3 * row[x] + 1];
    }
}

static nb_plane line_of(const nb_plane *plane, int32_t y) {
    return (nb_plane){plane->data + (ptrdiff_t)y * plane->stride, plane->stride, plane->width, 1};
}

static nb_status convert_rows(cmsHTRANSFORM transform, const nb_plane *packed, const nb_plane *planes,
                              nb_error *error) {
    size_t width = (size_t)planes[0].width;
    uint8_t *row = malloc(3 * width);
    if (row == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    for (int32_t y = 0; y < planes[0].height; y++) {
        nb_plane lines[3] = {line_of(&planes[0], y), line_of(&planes[1], y), line_of(&planes[2], y)};
        const uint8_t *from = row;
        if (packed != NULL)
            from = packed->data + (ptrdiff_t)y * packed->stride;
        else
            nb_interleave(lines, 3, row, (ptrdiff_t)(3 * width));
        cmsDoTransform(transform, from, row, (cmsUInt32Number)width);
        nb_deinterleave(row, (ptrdiff_t)(3 * width), lines, 3);
    }
    free(row);
    return NB_OK;
}

nb_status nb_profile_convert(const uint8_t *icc, size_t count, const nb_plane *planes, int channels, nb_error *error) {
    cmsHTRANSFORM transform = open_transform(icc, count, channels == 1 ? TYPE_GRAY_8 : TYPE_RGB_8);
    if (transform == NULL) return nb_fail(error, NB_CORRUPT, "the colour profile cannot be used");
    nb_status status = NB_OK;
    if (channels == 1)
        convert_gray(transform, &planes[0]);
    else
        status = convert_rows(transform, NULL, planes, error);
    cmsDeleteTransform(transform);
    return status;
}

nb_status nb_profile_convert_cmyk(const uint8_t *icc, size_t count, const nb_plane *packed, int inverted,
                                  const nb_plane *planes, nb_error *error) {
    cmsHTRANSFORM transform = open_transform(icc, count, inverted ? TYPE_CMYK_8_REV : TYPE_CMYK_8);
    if (transform == NULL) return nb_fail(error, NB_CORRUPT, "the colour profile cannot be used");
    nb_status status = convert_rows(transform, packed, planes, error);
    cmsDeleteTransform(transform);
    return status;
}
