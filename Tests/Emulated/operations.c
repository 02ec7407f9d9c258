// Runs the operations on made planes, and prints a digest of what each gives: the same on every processor.
//
// usage: operations SEED COUNT
#include "trials.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef enum { PACKED, DEEP, LINEAR, BLUR, BOX_BLUR, DETAIL, SATURATE, COLOR, SHAPE, COMPOSE, OPERATIONS } operation;
static const char *const names[OPERATIONS] = {"packed", "deep",     "linear", "blur",  "box blur",
                                              "detail", "saturate", "color",  "shape", "compose"};

/// Planes of a trial: red, green, blue and alpha, results of the same size, and four of 16 bits.
typedef struct {
    nb_plane source[4], result[4], deep[4];
    int width, height, sample_bytes;
} planes;

static planes make_planes(trials *trials) {
    planes made = {.width = random_size(trials, 150), .height = random_size(trials, 60),
                   .sample_bytes = random_between(trials, 1, 2)};
    for (int i = 0; i < 4; i++) {
        made.source[i] = random_plane(trials, made.width, made.height, made.sample_bytes);
        made.result[i] = make_plane(made.width, made.height, made.sample_bytes);
        made.deep[i] = random_plane(trials, made.width, made.height, 2);
    }
    return made;
}

static void free_planes(planes *self) {
    for (int i = 0; i < 4; i++) nb_free(self->source[i].data), nb_free(self->result[i].data), nb_free(self->deep[i].data);
}

static void require(int is_true) {
    if (!is_true) exit(3);
}

/// To packed samples and back, each of which must be where it belongs.
static void pack(planes *self, int channels) {
    int bytes = self->sample_bytes, step = channels * bytes;
    ptrdiff_t stride = self->width * step;
    uint8_t *packed = malloc((size_t)stride * (size_t)self->height);
    require(packed != NULL);
    nb_interleave(self->source, channels, packed, stride);
    nb_deinterleave(packed, stride, self->result, channels);
    for (int i = 0; i < channels; i++) {
        const nb_plane *source = &self->source[i];
        for (int y = 0; y < self->height; y++)
            for (int x = 0; x < self->width; x++)
                require(!memcmp(source->data + y * source->stride + x * bytes, packed + y * stride + x * step + i * bytes,
                                (size_t)bytes));
        require(digest_of_plane(NO_DIGEST, source) == digest_of_plane(NO_DIGEST, &self->result[i]));
    }
    free(packed);
}

static void shape(trials *trials, planes *self) {
    nb_shape outer = {random_real(trials, -1, 3), random_real(trials, -1, 3), self->width - random_real(trials, 0, 3),
                      self->height - random_real(trials, 0, 3), random_real(trials, 0, 20), random_real(trials, 0, 20)};
    nb_shape inner = {outer.left + 2, outer.top + 2, outer.right - 2, outer.bottom - 2, outer.radius_x, outer.radius_y};
    uint8_t border[4] = {200, 100, 50, (uint8_t)random_between(trials, 0, 255)};
    nb_cover(&outer, &self->deep[0]);
    nb_cover(&inner, &self->deep[1]);
    nb_frame(self->source, 3, random_between(trials, 0, 1), &self->deep[0], &self->deep[1], border, self->result);
}

static void operate(operation operation, trials *trials, planes *self) {
    nb_plane *source = self->source, *result = self->result, *deep = self->deep;
    double amount = random_real(trials, 0, 3), sigma = random_real(trials, 0.3, random_between(trials, 0, 1) ? 3 : 30);
    int reach = random_between(trials, 0, 9), is_linear = operation == LINEAR;
    nb_error error;
    switch (operation) {
        case PACKED: pack(self, random_between(trials, 1, 4)); break;
        case DEEP:
        case LINEAR:
            nb_widen(&source[0], random_between(trials, 0, 1) ? &source[3] : NULL, is_linear, &deep[0]);
            nb_narrow(&deep[1], random_between(trials, 0, 1) ? &deep[3] : NULL, is_linear, &result[0]);
            break;
        case BLUR: require(nb_blur(&source[0], sigma, amount + 0.3, &result[0], &error) == NB_OK); break;
        case BOX_BLUR: require(nb_box_blur(&source[0], reach, 9 - reach, &result[0], &error) == NB_OK); break;
        case DETAIL: nb_add_detail(&source[0], &source[1], &deep[0], amount, 257 * reach, &result[0]); break;
        case SATURATE: nb_saturate(source, amount, result); break;
        case COLOR:
            if (self->sample_bytes == 1) nb_rgb_to_ycbcr(source, result), nb_ycbcr_to_rgb(source, source);
            nb_flatten(&source[0], &source[3], 200, &result[3]);
            break;
        case SHAPE: shape(trials, self); break;
        default:
            nb_compose(source, 3, random_between(trials, 0, 1), deep, reach - 4, 4 - reach, amount / 3);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    trials trials = {strtoull(argv[1], NULL, 10)};
    long count = strtol(argv[2], NULL, 10);
    for (int i = 0; i < OPERATIONS; i++) {
        uint64_t digest = NO_DIGEST;
        for (long n = 0; n < count; n++) {
            planes planes = make_planes(&trials);
            operate((operation)i, &trials, &planes);
            for (int k = 0; k < 4; k++) {
                digest = digest_of_plane(digest, &planes.source[k]);
                digest = digest_of_plane(digest, &planes.result[k]);
                digest = digest_of_plane(digest, &planes.deep[k]);
            }
            free_planes(&planes);
        }
        printf("%s: %ld images, digest %016" PRIx64 "\n", names[i], count, digest);
    }
    return count == 0;
}
