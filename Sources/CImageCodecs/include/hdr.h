#pragma once
// Pictures whose brightness goes beyond that of standard screens (Recommendation ITU-R BT.2100 and the like).

#include <stdint.h>

#include "outcomes.h"
#include "plane.h"

typedef enum {
    NB_HDR_NONE = 0,
    NB_HDR_PQ,
    NB_HDR_HLG,
    NB_HDR_OTHER  // another curve, or primaries around another white than sRGB's
} nb_hdr_curve;

/// The colours of such a picture; all 0 of any other.
typedef struct {
    int32_t curve;      // of nb_hdr_curve
    int32_t primaries;  // H.273's code
} nb_hdr;

/// Maps one plane (gray) or three (RGB) of NB_HDR_PQ or NB_HDR_HLG to sRGB, in place. NB_MEMORY without memory.
///
/// `peak` is the brightest light of PQ in cd/m2; 0, which stands for an unknown one, counts as 1,000, and so does that of HLG.
nb_status nb_tone_map(const nb_hdr *hdr, double peak, const nb_plane *planes, int channels, nb_error *error);
