// Encodes a picture as JPEG in one way at several qualities: for each a line of quality, bytes, SSIMULACRA2 and milliseconds.
//
// usage: encode PICTURE.ppm SUBSAMPLING WAY FOLDER QUALITY...     SUBSAMPLING: 1 (4:4:4) or 2 (4:2:0)
//        WAY: plain (sequential, with tables of its own), progressive, smallest. FOLDER gets QUALITY.ppm, what the file shows.
#include <CImageCodecs.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jpeglib.h>

static void fail(const char *what) {
    fprintf(stderr, "encode: %s\n", what);
    exit(1);
}

static nb_plane make_plane(int width, int height) {
    return (nb_plane){calloc((size_t)width, (size_t)height), width, width, height, 1};
}

static uint8_t *read_picture(const char *path, int *width, int *height) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    int values[3], count = 0, letter;
    if (fgetc(file) != 'P' || fgetc(file) != '6') fail("no PPM");
    while (count < 3) {
        if ((letter = fgetc(file)) == '#') while (letter != '\n' && letter != EOF) letter = fgetc(file);
        else if (letter == EOF) fail("no size");
        else if (letter >= '0' && letter <= '9') {
            ungetc(letter, file);
            if (fscanf(file, "%d", &values[count++]) != 1) fail("no size");
        }
    }
    fgetc(file);
    *width = values[0], *height = values[1];
    size_t bytes = (size_t)*width * (size_t)*height * 3;
    uint8_t *pixels = malloc(bytes);
    if (fread(pixels, 1, bytes, file) != bytes) fail("too few pixels");
    fclose(file);
    return pixels;
}

/// Planes of YCbCr (ITU-T T.871), of which chroma is averaged.
static void convert(const uint8_t *pixels, int width, int height, int factor, nb_plane planes[3]) {
    int columns = (width + factor - 1) / factor, rows = (height + factor - 1) / factor;
    double *sums = calloc((size_t)columns * (size_t)rows * 3, sizeof(double));
    planes[0] = make_plane(width, height), planes[1] = make_plane(columns, rows), planes[2] = make_plane(columns, rows);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const uint8_t *pixel = pixels + ((size_t)y * (size_t)width + (size_t)x) * 3;
            double luma = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
            planes[0].data[y * width + x] = (uint8_t)lrint(luma);
            double *sum = sums + ((size_t)(y / factor) * (size_t)columns + (size_t)(x / factor)) * 3;
            sum[0] += 1, sum[1] += (pixel[2] - luma) / 1.772 + 128, sum[2] += (pixel[0] - luma) / 1.402 + 128;
        }
    for (int i = 0; i < columns * rows; i++)
        for (int c = 1; c < 3; c++) planes[c].data[i] = (uint8_t)lrint(fmin(sums[i * 3 + c] / sums[i * 3], 255));
    free(sums);
}

static uint8_t *decode(const uint8_t *bytes, size_t count, int width, int height) {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, (unsigned char *)bytes, count);
    jpeg_read_header(&jpeg, TRUE);
    jpeg_start_decompress(&jpeg);
    uint8_t *pixels = malloc((size_t)width * (size_t)height * 3);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = pixels + (size_t)jpeg.output_scanline * (size_t)width * 3;
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    return pixels;
}

static void split(const uint8_t *pixels, int width, int height, nb_plane planes[3]) {
    for (int c = 0; c < 3; c++) {
        planes[c] = make_plane(width, height);
        for (int i = 0; i < width * height; i++) planes[c].data[i] = pixels[i * 3 + c];
    }
}

static double milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

int main(int count, char **words) {
    if (count < 6) fail("usage: encode PICTURE.ppm SUBSAMPLING WAY FOLDER QUALITY...");
    int width, height, factor = atoi(words[2]);
    uint8_t *pixels = read_picture(words[1], &width, &height);
    nb_plane planes[3], reference[3];
    convert(pixels, width, height, factor, planes);
    split(pixels, width, height, reference);
    for (int i = 5; i < count; i++) {
        int is_progressive = strcmp(words[3], "progressive") == 0, is_smallest = strcmp(words[3], "smallest") == 0;
        nb_jpeg_settings settings = {width, height, 3, factor, factor, atoi(words[i]), is_progressive, 1, is_smallest};
        uint8_t *file = NULL;
        size_t bytes = 0;
        nb_error error;
        double start = milliseconds(), score = 0;
        if (nb_jpeg_encode(planes, &settings, &file, &bytes, &error) != NB_OK) fail(error.message);
        double time = milliseconds() - start;
        uint8_t *shown = decode(file, bytes, width, height);
        nb_plane other[3];
        split(shown, width, height, other);
        if (nb_ssimulacra2(reference, other, 0, &score) != NB_OK) fail("no memory");
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.ppm", words[4], words[i]);
        FILE *to = fopen(path, "wb");
        if (!to) fail(path);
        fprintf(to, "P6\n%d %d\n255\n", width, height);
        fwrite(shown, 1, (size_t)width * (size_t)height * 3, to);
        fclose(to);
        printf("%s %zu %.4f %.3f\n", words[i], bytes, score, time);
        for (int c = 0; c < 3; c++) free(other[c].data);
        free(shown);
        nb_free(file);
    }
}
