// A PNG by libpng's simplified interface, which honours gAMA as libvips does not: red, green, blue, alpha in sRGB.
// usage: png_reference FILE > PIXELS; says "WIDTH HEIGHT" on standard error
#include <stdio.h>
#include <stdlib.h>
#include <png.h>

int main(int count, char **words) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (count != 2 || !png_image_begin_read_from_file(&image, words[1])) return 1;
    image.format = PNG_FORMAT_RGBA;
    png_bytep pixels = malloc(PNG_IMAGE_SIZE(image));
    if (pixels == NULL || !png_image_finish_read(&image, NULL, pixels, 0, NULL) || image.warning_or_error) return 1;
    fprintf(stderr, "%u %u", image.width, image.height);
    return fwrite(pixels, PNG_IMAGE_SIZE(image), 1, stdout) == 1 ? 0 : 1;
}
