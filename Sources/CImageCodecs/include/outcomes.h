#pragma once
// What a function of the C codecs may answer.

#include <stdint.h>

typedef enum {
    NB_OK = 0,
    NB_CORRUPT,      // the data is damaged
    NB_TRUNCATED,    // the data ends too early
    NB_LIMITS,       // a limit of the caller is exceeded
    NB_UNSUPPORTED,  // a valid file that this codec does not read or write
    NB_MEMORY,
    NB_PROCESSING,   // an invalid call, or a library that failed
    NB_NO_PLUG_IN    // the codec's plug-in cannot be loaded
} nb_status;

/// What a decoder passes over, as common decoders do, because the image is whole without it: one bit each.
///
/// Only a part of the file that no pixel depends on, or a rule of the format by which each pixel has one colour that all
/// decoders agree on, may be here. Swift's ImageWarning has the same order.
typedef enum {
    NB_WARNING_STRAY_BYTES = 1 << 0,       // between the parts of the file are bytes that belong to none
    NB_WARNING_EXTRA_PIXELS = 1 << 1,      // more compressed pixels than the image has
    NB_WARNING_TRAILING_DATA = 1 << 2,     // more data after the image's end
    NB_WARNING_MISSING_END = 1 << 3,       // all pixels are there, but the mark of the file's end is not
    NB_WARNING_HEADER_VALUE = 1 << 4,      // a field has a value that the format does not allow
    NB_WARNING_PART_CHECKSUM = 1 << 5,     // a part beside the pixels has a wrong checksum and is ignored
    NB_WARNING_PART_PLACE = 1 << 6,        // parts are in an order or number that the format does not allow
    NB_WARNING_TRANSPARENCY = 1 << 7,      // the transparency is invalid and ignored
    NB_WARNING_COLORS = 1 << 8,            // the description of the colours is invalid and ignored
    NB_WARNING_PALETTE_INDEX = 1 << 9,     // pixels have colours beyond the palette and are black
    NB_WARNING_MISSING_PALETTE = 1 << 10,  // there is no palette
    NB_WARNING_ROW_LENGTH = 1 << 11,       // rows are longer or shorter than the image is wide
    NB_WARNING_ANIMATION_END = 1 << 12,    // the animation is damaged behind some of its frames, and ends there
    NB_WARNING_EXTERNAL_REFERENCE = 1 << 13  // a drawing refers to another file, which is not opened
} nb_warning;

/// The library's message; empty when a function returns NB_OK. `warnings` holds then too.
typedef struct {
    char message[200];
    uint32_t warnings;  // of nb_warning
} nb_error;
