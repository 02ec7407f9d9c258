// The colours described by the code points of ITU-T H.273, which AVIF, HEIC and PNG (cICP) carry instead of a profile.
#include "internal.h"

#include <stddef.h>

typedef struct {
    int code;
    double values[8];  // x and y of white, red, green, blue
} primaries;

// H.273, table 2. sRGB has the primaries of BT.709, code 1.
static const primaries known[] = {
    {4, {0.310, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08}},
    {5, {0.3127, 0.3290, 0.64, 0.33, 0.29, 0.60, 0.15, 0.06}},
    {6, {0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070}},
    {7, {0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070}},
    {8, {0.310, 0.316, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049}},
    {9, {0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046}},
    {11, {0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}},
    {12, {0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}},
    {22, {0.3127, 0.3290, 0.630, 0.340, 0.295, 0.605, 0.155, 0.077}},
};

static const double bt709[8] = {0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06};

static const double *find(int code) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code) return known[i].values;
    return NULL;
}

// H.273, table 3. Camera transfer curves are displayed as sRGB in practice, so they count as sRGB.
static double gamma_of(int transfer) {
    switch (transfer) {
        case 4: return 2.2;
        case 5: return 2.8;
        case 8: return 1;
        default: return NB_SRGB_CURVE;
    }
}

nb_codes nb_codes_kind(int primaries, int transfer) {
    // The logarithmic, PQ, cinema and HLG curves describe luminance outside sRGB's range.
    if (transfer == 9 || transfer == 10 || (transfer >= 16 && transfer <= 18)) return NB_CODES_HDR;
    return find(primaries) == NULL && gamma_of(transfer) == NB_SRGB_CURVE ? NB_CODES_SRGB : NB_CODES_OTHER;
}

int nb_codes_are_known(int primaries, int transfer) {
    // sRGB's, unspecified, and XYZ itself have no entry above.
    int has_primaries = primaries == 1 || primaries == 2 || primaries == 10 || find(primaries) != NULL;
    return has_primaries && transfer >= 1 && transfer != 3 && transfer <= 18;
}

const double *nb_codes_primaries(int primaries) {
    const double *values = find(primaries);
    return values == NULL ? bt709 : values;
}

nb_hdr nb_codes_hdr(int primaries, int transfer) {
    if (nb_codes_kind(primaries, transfer) != NB_CODES_HDR) return (nb_hdr){.curve = NB_HDR_NONE};
    int curve = transfer == 16 ? NB_HDR_PQ : transfer == 18 ? NB_HDR_HLG : NB_HDR_OTHER;
    nb_hdr hdr = {.curve = curve, .primaries = primaries};
    if (primaries == 2) hdr.primaries = 9;  // unspecified: BT.2100 has no others
    if (nb_codes_primaries(hdr.primaries)[0] != bt709[0]) hdr.curve = NB_HDR_OTHER;
    return hdr;
}

void nb_codes_profile(int gray, int primaries, int transfer, nb_target *target) {
    target->icc_count = nb_codes_kind(primaries, transfer) == NB_CODES_HDR
        ? 0 : nb_profile_describe(gray, gamma_of(transfer), nb_codes_primaries(primaries), target->icc, target->icc_capacity);
}
