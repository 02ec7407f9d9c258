// The floor of a JPEG thumbnail: bare libjpeg, raw planes, DCT scaling to the smallest of 1/8, 2/8, 4/8 and 8/8 (those in
// between take longer) that covers the picture fit into SIDE × SIDE. usage: decode_only PROCESSES SIDE FILE…; prints nothing. The caller times it.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jpeglib.h>

static void decode(const char *path, unsigned side) {
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(1); }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc((size_t)size);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) { perror(path); exit(1); }
    fclose(file);

    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, bytes, (unsigned long)size);
    jpeg_read_header(&jpeg, TRUE);
    unsigned longest = jpeg.image_width > jpeg.image_height ? jpeg.image_width : jpeg.image_height;
    for (jpeg.scale_num = 1; jpeg.scale_num < 8 && longest * jpeg.scale_num < side * 8;) jpeg.scale_num *= 2;
    jpeg.scale_denom = 8;
    jpeg.raw_data_out = TRUE;
    jpeg_start_decompress(&jpeg);
    JSAMPARRAY planes[4];
    unsigned lines = 0;
    for (int c = 0; c < jpeg.num_components; c++) {
        jpeg_component_info *component = &jpeg.comp_info[c];
        unsigned rows = (unsigned)(component->v_samp_factor * component->DCT_scaled_size);
        unsigned luma_rows = (unsigned)(jpeg.max_v_samp_factor * jpeg.min_DCT_scaled_size);
        if (luma_rows > lines) lines = luma_rows;
        planes[c] = malloc(rows * sizeof(JSAMPROW));
        size_t width = component->width_in_blocks * (size_t)component->DCT_scaled_size;
        for (unsigned row = 0; row < rows; row++) planes[c][row] = malloc(width);
    }
    while (jpeg.output_scanline < jpeg.output_height) jpeg_read_raw_data(&jpeg, planes, lines);
    jpeg_finish_decompress(&jpeg);
    for (int c = 0; c < jpeg.num_components; c++) {
        unsigned rows = (unsigned)(jpeg.comp_info[c].v_samp_factor * jpeg.comp_info[c].DCT_scaled_size);
        for (unsigned row = 0; row < rows; row++) free(planes[c][row]);
        free(planes[c]);
    }
    jpeg_destroy_decompress(&jpeg);
    free(bytes);
}

int main(int count, char **words) {
    if (count < 4) { fprintf(stderr, "usage: decode_only PROCESSES SIDE FILE...\n"); return 2; }
    int processes = atoi(words[1]), side = atoi(words[2]);
    for (int process = 0; process < processes; process++) {
        if (fork() != 0) continue;
        for (int file = 3 + process; file < count; file += processes) decode(words[file], (unsigned)side);
        _exit(0);
    }
    int failed = 0, status;
    while (wait(&status) > 0) failed |= status != 0;
    return failed;
}
