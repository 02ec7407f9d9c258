#pragma once
#include <stddef.h>
#include <stdint.h>

/// How the scans of a file are laid out.
typedef enum {
    MADE_ONE_SCAN,          // baseline, all components together
    MADE_SCAN_EACH,         // baseline, a scan for each component
    MADE_USUAL_PROGRESSION, // what jpeg_simple_progression makes
    MADE_SPECTRAL_SCANS,    // progressive without refinement, in narrow bands
    MADE_MANY_REFINEMENTS,  // three bits by refinement
} made_scans;

typedef struct {
    int32_t width, height, components;        // 1 or 3
    int32_t horizontal[3], vertical[3];       // sampling factors
    int32_t quality, restart_interval, optimize, is_rgb;
    made_scans scans;
    uint32_t seed;                            // of the picture: gradients, edges and noise
} made_jpeg;

/// Writes a JPEG of any layout, by libjpeg. Returns its size, and memory of malloc; 0 if libjpeg refuses the layout.
size_t made_jpeg_write(const made_jpeg *made, uint8_t **bytes);
