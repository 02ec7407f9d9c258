// Encodes pictures with one of libavif's AV1 encoders, on one thread. Prints the CPU time of each in milliseconds.
//
// usage: encode aom|aom-iq|rav1e|svt SPEED QUANTIZER FOLDER FILE.ppm...     FOLDER gets FILE.avif
#include <avif/avif.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static avifImage *read_picture(const char *path) {
    int width, height;
    FILE *file = fopen(path, "rb");
    if (!file || fscanf(file, "P6 %d %d 255", &width, &height) != 2 || fgetc(file) == EOF) exit(2);
    avifImage *image = avifImageCreate(width, height, 8, AVIF_PIXEL_FORMAT_YUV420);
    image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
    image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_SRGB;
    image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.format = AVIF_RGB_FORMAT_RGB;
    avifRGBImageAllocatePixels(&rgb);
    if (fread(rgb.pixels, rgb.rowBytes, (size_t)height, file) != (size_t)height) exit(2);
    fclose(file);
    if (avifImageRGBToYUV(image, &rgb) != AVIF_RESULT_OK) exit(2);
    avifRGBImageFreePixels(&rgb);
    return image;
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    for (int i = 5; i < argc; i++) {
        avifImage *image = read_picture(argv[i]);
        avifEncoder *encoder = avifEncoderCreate();
        int is_aom = !strncmp(argv[1], "aom", 3);
        encoder->codecChoice = avifCodecChoiceFromName(is_aom ? "aom" : argv[1]);
        encoder->maxThreads = 1, encoder->speed = atoi(argv[2]);
        encoder->minQuantizer = encoder->maxQuantizer = atoi(argv[3]);
        if (is_aom) avifEncoderSetCodecSpecificOption(encoder, "enable-intrabc", "0");  // as the library does
        if (!strcmp(argv[1], "aom-iq")) avifEncoderSetCodecSpecificOption(encoder, "color:tune", "iq");  // since libaom 3.12
        avifRWData bytes = AVIF_DATA_EMPTY;
        double begin = now();
        avifResult result = avifEncoderWrite(encoder, image, &bytes);
        double spent = now() - begin;
        if (result != AVIF_RESULT_OK) {
            fprintf(stderr, "encode: %s: %s\n", argv[i], avifResultToString(result));
            return 1;
        }
        char path[4096];
        const char *name = strrchr(argv[i], '/');
        snprintf(path, sizeof path, "%s/%s.avif", argv[4], name ? name + 1 : argv[i]);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file)) return 1;
        printf("%.3f\n", spent);
        avifRWDataFree(&bytes), avifEncoderDestroy(encoder), avifImageDestroy(image);
    }
    return 0;
}
