// Converts embedded ICC profiles to sRGB with Little CMS.
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// Most profiles on the web are a vendor's sRGB: the primaries of IEC 61966-2-1 adapted to D50, and its curve.
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

static cmsHTRANSFORM open_transform(const uint8_t *icc, size_t count, cmsUInt32Number format, int wide,
                                    cmsUInt32Number flags) {
    cmsHPROFILE from = cmsOpenProfileFromMem(icc, (cmsUInt32Number)count), to = cmsCreate_sRGBProfile();
    cmsHTRANSFORM transform = NULL;
    if (from != NULL && to != NULL)
        transform = cmsCreateTransform(from, format, to, wide ? TYPE_RGB_16 : TYPE_RGB_8, INTENT_PERCEPTUAL, flags);
    if (from != NULL) cmsCloseProfile(from);
    if (to != NULL) cmsCloseProfile(to);
    return transform;
}

/// Looks up the results of a transform of 16 bits. Little CMS's own table for one channel has 33 entries, between which a steep
/// curve, such as that of linear light, would be off by 10 of 255 and more.
static nb_status convert_gray(cmsHTRANSFORM transform, const nb_plane *plane, nb_error *error) {
    uint32_t most = plane->sample_bytes == 2 ? 65535 : 255;
    uint16_t *table = malloc((most + 1) * sizeof *table);
    if (table == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    for (uint32_t i = 0; i <= most; i++) {
        uint16_t gray = (uint16_t)(i * (65535 / most)), color[3];
        cmsDoTransform(transform, &gray, color, 1);
        table[i] = most == 255 ? (uint16_t)((color[1] + 128u) / 257) : color[1];
    }
    nb_map(plane, table, plane);
    free(table);
    return NB_OK;
}

static nb_status convert_rows(cmsHTRANSFORM transform, const nb_plane *packed, const nb_plane *planes,
                              nb_error *error) {
    size_t width = (size_t)planes[0].width, stride = 3 * width * (size_t)planes[0].sample_bytes;
    uint8_t *row = malloc(stride);
    if (row == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    for (int32_t y = 0; y < planes[0].height; y++) {
        nb_plane lines[3] = {nb_line(&planes[0], y), nb_line(&planes[1], y), nb_line(&planes[2], y)};
        const uint8_t *from = row;
        if (packed != NULL)
            from = nb_row(packed, y);
        else
            nb_interleave(lines, 3, row, (ptrdiff_t)stride);
        cmsDoTransform(transform, from, row, (cmsUInt32Number)width);
        nb_deinterleave(row, (ptrdiff_t)stride, lines, 3);
    }
    free(row);
    return NB_OK;
}

nb_status nb_profile_convert(const uint8_t *icc, size_t count, const nb_plane *planes, int channels, nb_error *error) {
    int wide = planes[0].sample_bytes == 2;
    cmsHTRANSFORM transform = channels == 1
                                  ? open_transform(icc, count, TYPE_GRAY_16, 1, cmsFLAGS_NOOPTIMIZE)
                                  : open_transform(icc, count, wide ? TYPE_RGB_16 : TYPE_RGB_8, wide, 0);
    if (transform == NULL) return nb_fail(error, NB_CORRUPT, "the colour profile cannot be used");
    nb_status status = channels == 1 ? convert_gray(transform, &planes[0], error)
                                     : convert_rows(transform, NULL, planes, error);
    cmsDeleteTransform(transform);
    return status;
}

nb_status nb_profile_convert_cmyk(const uint8_t *icc, size_t count, const nb_plane *packed, int inverted,
                                  const nb_plane *planes, nb_error *error) {
    cmsHTRANSFORM transform = open_transform(icc, count, inverted ? TYPE_CMYK_8_REV : TYPE_CMYK_8, 0, 0);
    if (transform == NULL) return nb_fail(error, NB_CORRUPT, "the colour profile cannot be used");
    nb_status status = convert_rows(transform, packed, planes, error);
    cmsDeleteTransform(transform);
    return status;
}

static cmsToneCurve *build_curve(double gamma) {
    // IEC 61966-2-1, in lcms's fourth form: (a x + b) ^ gamma from d on, c x below.
    static const double srgb[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    return gamma == NB_SRGB_CURVE ? cmsBuildParametricToneCurve(NULL, 4, srgb) : cmsBuildGamma(NULL, gamma);
}

/// Writes a profile, which it closes; 0 without one.
static size_t save(cmsHPROFILE profile, uint8_t *icc, size_t capacity) {
    cmsUInt32Number size = 0;
    if (profile == NULL) return 0;
    if (!cmsSaveProfileToMem(profile, NULL, &size) || size > capacity || !cmsSaveProfileToMem(profile, icc, &size))
        size = 0;
    cmsCloseProfile(profile);
    return size;
}

size_t nb_profile_describe(int gray, double gamma, const double primaries[8], uint8_t *icc, size_t capacity) {
    const double *srgb = nb_codes_primaries(1);
    double distance = gamma == NB_SRGB_CURVE ? 0 : fabs(gamma - 2.2) / 10;
    for (int i = 0; i < 8 && !gray; i++) distance = fmax(distance, fabs(primaries[i] - srgb[i]));
    cmsToneCurve *curve = distance < 0.005 ? NULL : build_curve(gamma), *curves[3] = {curve, curve, curve};
    if (curve == NULL) return 0;
    cmsCIExyY white = {primaries[0], primaries[1], 1};
    cmsCIExyYTRIPLE colors = {
        {primaries[2], primaries[3], 1}, {primaries[4], primaries[5], 1}, {primaries[6], primaries[7], 1}};
    size_t size = save(gray ? cmsCreateGrayProfile(cmsD50_xyY(), curve) : cmsCreateRGBProfile(&white, &colors, curves),
                       icc, capacity);
    cmsFreeToneCurve(curve);
    return size;
}

size_t nb_profile_srgb(int gray, uint8_t *icc, size_t capacity) {
    cmsToneCurve *curve = build_curve(NB_SRGB_CURVE);
    if (curve == NULL) return 0;
    size_t size = save(gray ? cmsCreateGrayProfile(cmsD50_xyY(), curve) : cmsCreate_sRGBProfile(), icc, capacity);
    cmsFreeToneCurve(curve);
    // ICC.1, 7.2: bytes 24 to 35 are the creation time, which would differ each time.
    if (size >= 128) memset(icc + 24, 0, 12);
    return size;
}
