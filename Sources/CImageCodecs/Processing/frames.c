// Composition of an animation's frames on their canvas, in straight alpha.
#include "internal.h"

#include <string.h>

static void begin_row(const nb_plane *base, int base_channels, const nb_box *cleared, int32_t y, const nb_plane *canvas,
                      int channels) {
    size_t width = (size_t)canvas[0].width;
    for (int i = 0; i < channels; i++) {
        uint8_t *to = nb_row(&canvas[i], y);
        if (base_channels == 0) memset(to, 0, width);
        else if (i == base_channels) memset(to, 255, width);
        else memcpy(to, nb_row(&base[i], y), width);
        if (y >= cleared->top && y < cleared->bottom && cleared->left < cleared->right)
            memset(to + cleared->left, 0, (size_t)(cleared->right - cleared->left));
    }
}

// Lays a pixel over another one, which has the alpha `under`. Products are of 255² and 255³, so they fit.
static uint8_t lay_over(uint8_t *to[4], const uint8_t *from[4], int32_t x, uint32_t alpha, uint32_t under) {
    uint32_t rest = under * (255 - alpha), total = alpha * 255 + rest;
    for (int i = 0; i < 3; i++)
        to[i][x] = (uint8_t)((from[i][x] * alpha * 255 + to[i][x] * rest + total / 2) / total);
    return (uint8_t)((total + 127) / 255);
}

static void blend_row(uint8_t *to[4], const uint8_t *from[4], int32_t count, int has_alpha) {
    for (int32_t x = 0; x < count; x++) {
        uint32_t alpha = from[3][x], under = has_alpha ? to[3][x] : 255;
        if (alpha == 0) continue;
        uint8_t covered = 255;
        if (alpha == 255)
            for (int i = 0; i < 3; i++) to[i][x] = from[i][x];
        else
            covered = lay_over(to, from, x, alpha, under);
        if (has_alpha) to[3][x] = covered;
    }
}

void nb_compose_frame(const nb_plane *base, int base_channels, const nb_box *cleared, const nb_plane *frame,
                      int frame_channels, int32_t left, int32_t top, int blends, const nb_plane *canvas, int channels) {
    int32_t width = canvas[0].width, height = canvas[0].height;
    int32_t count = frame[0].width < width - left ? frame[0].width : width - left;
    for (int32_t y = 0; y < height; y++) {
        begin_row(base, base_channels, cleared, y, canvas, channels);
        int32_t row = y - top;
        if (row < 0 || row >= frame[0].height || count <= 0) continue;
        uint8_t *to[4] = {0};
        const uint8_t *from[4] = {0};
        for (int i = 0; i < channels; i++) to[i] = nb_row(&canvas[i], y) + left;
        for (int i = 0; i < frame_channels; i++) from[i] = nb_row(&frame[i], row);
        if (blends && frame_channels == 4) {
            blend_row(to, from, count, channels == 4);
            continue;
        }
        for (int i = 0; i < channels; i++) {
            if (i < frame_channels) memcpy(to[i], from[i], (size_t)count);
            else memset(to[i], 255, (size_t)count);
        }
    }
}
