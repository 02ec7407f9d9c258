// PQ and HLG (Recommendation ITU-R BT.2100) to sRGB: to display light, through the tone mapping of Report ITU-R BT.2408, annex 5
// (EETF), to sRGB's primaries and curve.
//
// The tone mapping is applied to the greatest of a pixel's colours, and the others keep their ratio to it. So hue and saturation
// stay, and no colour exceeds white: only what lies outside sRGB's primaries is cut off, as in pictures without HDR. zimg has these
// curves too, but it has no tone mapping, and would need a copy in floats on either side of it.
#include "internal.h"

#include <math.h>
#include <stdlib.h>

// cd/m2. HDR reference white is sRGB's white (BT.2408, 2.1). The nominal peak is that of HLG (BT.2100, table 5) and of most pictures
// in PQ that do not tell theirs; what is brighter than the peak is as bright as it.
static const double white = 203, nominal_peak = 1000;

// BT.2100, table 5: the system gamma of HLG for that peak.
static const double system_gamma = 1.2;

/// Functions are looked up between the entries of tables, as processors and libraries differ in powers. Slopes near 0 are steep, so
/// that some tables are of roots.
enum { STEPS = 4096 };
typedef struct {
    double peak;              // cd/m2, at least that of white
    float light[STEPS + 2];   // of a sample: the light of PQ, or that of HLG's scene; 1 is the peak
    float system[STEPS + 2];  // of the fourth root of a scene's luminance: HLG's light for one of the scene
    float gain[STEPS + 2];    // of the fourth root of the greatest colour: tone mapped light, 1 for white, for one of light
    float code[STEPS + 2];    // of the root of light: sRGB's curve
    float luminance[3];       // of the primaries
    float matrix[3][3];       // from the primaries to sRGB's
} tables;

// SMPTE ST 2084; light in cd/m2.
static const double m1 = 2610 / 16384.0, m2 = 2523 / 4096.0 * 128;
static const double c1 = 3424 / 4096.0, c2 = 2413 / 4096.0 * 32, c3 = 2392 / 4096.0 * 32;

static double pq_light(double code) {
    double power = pow(code, 1 / m2);
    return 10000 * pow(fmax(power - c1, 0) / (c2 - c3 * power), 1 / m1);
}

static double pq_code(double light) {
    double power = pow(light / 10000, m1);
    return pow((c1 + c2 * power) / (1 + c3 * power), m2);
}

static double hlg_scene(double code) {
    const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log(4 * a);
    return code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12;
}

/// BT.2408, annex 5, with black at 0 on both sides; in cd/m2.
static double tone_mapped(double light, double peak) {
    double code = pq_code(light) / pq_code(peak), most = pq_code(white) / pq_code(peak), knee = 1.5 * most - 0.5;
    if (code < knee || peak <= white) return light;
    double t = (code - knee) / (1 - knee), t2 = t * t, t3 = t2 * t;
    double bent = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * most;
    return pq_light(bent * pq_code(peak));
}

static void fill_tables(tables *self, int is_pq) {
    for (int i = 0; i < STEPS + 2; i++) {
        double at = i < STEPS ? i / (double)STEPS : 1, light = at * at * at * at;
        self->light[i] = (float)(is_pq ? pq_light(at) / self->peak : hlg_scene(at));
        self->system[i] = (float)pow(light, system_gamma - 1);
        self->gain[i] = (float)(i == 0 ? self->peak / white : tone_mapped(light * self->peak, self->peak) / white / light);
        light = at * at;
        self->code[i] = (float)(light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055);
    }
}

/// Writes the inverse of a matrix.
static void invert(const double from[3][3], double to[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            to[i][j] = from[a][c] * from[b][d] - from[a][d] * from[b][c];
        }
    double determinant = from[0][0] * to[0][0] + from[0][1] * to[1][0] + from[0][2] * to[2][0];
    for (int i = 0; i < 9; i++) to[i / 3][i % 3] /= determinant;
}

/// Writes the matrix to XYZ of primaries as nb_codes_primaries has them, in which red, green and blue of 1 are white.
static void find_xyz(const double values[8], double xyz[3][3]) {
    double columns[3][3], inverse[3][3];
    const double point[3] = {values[0] / values[1], 1, (1 - values[0] - values[1]) / values[1]};
    for (int i = 0; i < 3; i++) {
        double x = values[2 + 2 * i], y = values[3 + 2 * i];
        columns[0][i] = x, columns[1][i] = y, columns[2][i] = 1 - x - y;
    }
    invert(columns, inverse);
    for (int i = 0; i < 3; i++) {
        double share = inverse[i][0] * point[0] + inverse[i][1] * point[1] + inverse[i][2] * point[2];
        for (int j = 0; j < 3; j++) xyz[j][i] = columns[j][i] * share;
    }
}

static void fill_matrix(tables *self, int primaries) {
    double from[3][3], to[3][3], back[3][3];
    find_xyz(nb_codes_primaries(primaries), from);
    find_xyz(nb_codes_primaries(1), to);
    invert(to, back);
    for (int i = 0; i < 3; i++) {
        self->luminance[i] = (float)from[1][i];
        for (int j = 0; j < 3; j++)
            self->matrix[i][j] = (float)(back[i][0] * from[0][j] + back[i][1] * from[1][j] + back[i][2] * from[2][j]);
    }
}

/// `at` is 0 to 1.
static inline float look_up(const float *table, float at) {
    float place = at * STEPS;
    int32_t index = (int32_t)place;
    return table[index] + (place - (float)index) * (table[index + 1] - table[index]);
}

static inline float greatest(const float values[3]) {
    float first = values[0] > values[1] ? values[0] : values[1];
    return first > values[2] ? first : values[2];
}

static inline float weighted(const float weights[3], const float values[3]) {
    return weights[0] * values[0] + weights[1] * values[1] + weights[2] * values[2];
}

static inline float limited(float value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

static inline void map_row(const tables *self, int is_pq, uint8_t *const rows[3], int32_t width, int wide) {
    const float most = wide ? 65535 : 255;
    for (int32_t x = 0; x < width; x++) {
        float light[3];
        for (int i = 0; i < 3; i++) light[i] = look_up(self->light, (float)nb_get(rows[i], x, wide) / most);
        if (!is_pq) {
            float system = look_up(self->system, sqrtf(sqrtf(limited(weighted(self->luminance, light)))));
            for (int i = 0; i < 3; i++) light[i] *= system;
        }
        float first = greatest(light), gain = first < 1 ? look_up(self->gain, sqrtf(sqrtf(first))) : 1 / first;
        for (int i = 0; i < 3; i++) light[i] *= gain;
        for (int i = 0; i < 3; i++) {
            float shown = look_up(self->code, sqrtf(limited(weighted(self->matrix[i], light))));
            nb_put(rows[i], x, wide, (uint32_t)(int32_t)(shown * most + 0.5f));
        }
    }
}

static inline void map_rows(const tables *self, int is_pq, const nb_plane *planes, int channels, int wide) {
    for (int32_t y = 0; y < planes[0].height; y++) {
        // Gray is a pixel of three equal colours, which are in one place.
        uint8_t *rows[3] = {nb_row(&planes[0], y), nb_row(&planes[channels / 2], y), nb_row(&planes[channels - 1], y)};
        map_row(self, is_pq, rows, planes[0].width, wide);
    }
}

nb_status nb_tone_map(const nb_hdr *hdr, double peak, const nb_plane *planes, int channels, nb_error *error) {
    tables *self = malloc(sizeof *self);
    if (self == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    int is_pq = hdr->curve == NB_HDR_PQ;
    self->peak = is_pq && peak > 0 ? fmax(peak, white) : nominal_peak;
    fill_tables(self, is_pq);
    fill_matrix(self, hdr->primaries);
    if (is_pq) NB_BY_DEPTH(planes, map_rows, self, 1, planes, channels);
    else NB_BY_DEPTH(planes, map_rows, self, 0, planes, channels);
    free(self);
    return NB_OK;
}
