// JPEG encoder: planes go to libjpeg unchanged, without colour conversion and downsampling.
#include "jpeg_output.h"
#include "jpeg_smallest.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    struct jpeg_compress_struct jpeg;
    nb_jpeg_output output;
    uint8_t *scratch;
} encoder;

static void leave(j_common_ptr jpeg) {
    nb_jpeg_output *self = jpeg->client_data;
    self->status = jpeg->err->msg_code == JERR_OUT_OF_MEMORY ? NB_MEMORY : NB_PROCESSING;
    jpeg->err->format_message(jpeg, self->error->message);
    longjmp(self->escape, 1);
}

static void on_message(j_common_ptr jpeg, int level) {
    (void)jpeg;
    (void)level;
}

static void start_destination(j_compress_ptr jpeg) {
    nb_jpeg_output *self = jpeg->client_data;
    self->destination.next_output_byte = self->bytes;
    self->destination.free_in_buffer = self->capacity;
}

static boolean grow_destination(j_compress_ptr jpeg) {
    nb_jpeg_output *self = jpeg->client_data;
    size_t used = self->capacity;  // libjpeg calls this only when the buffer is full
    uint8_t *larger = used > SIZE_MAX / 2 ? NULL : realloc(self->bytes, used * 2);
    if (larger == NULL) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    self->bytes = larger;
    self->capacity = used * 2;
    self->destination.next_output_byte = larger + used;
    self->destination.free_in_buffer = used;
    return TRUE;
}

static void finish_destination(j_compress_ptr jpeg) { (void)jpeg; }

void nb_jpeg_output_create(nb_jpeg_output *self, struct jpeg_compress_struct *jpeg, nb_error *error) {
    self->error = error;
    jpeg->err = jpeg_std_error(&self->errors);
    self->errors.error_exit = leave;
    self->errors.emit_message = on_message;
    jpeg->client_data = self;
    jpeg_create_compress(jpeg);
}

void nb_jpeg_output_begin(nb_jpeg_output *self, struct jpeg_compress_struct *jpeg, size_t capacity) {
    self->capacity = capacity;
    self->bytes = malloc(self->capacity);
    if (self->bytes == NULL) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    self->destination.init_destination = start_destination;
    self->destination.empty_output_buffer = grow_destination;
    self->destination.term_destination = finish_destination;
    jpeg->dest = &self->destination;
}

void nb_jpeg_output_describe(struct jpeg_compress_struct *jpeg, const nb_jpeg_settings *settings) {
    jpeg->image_width = (JDIMENSION)settings->width;
    jpeg->image_height = (JDIMENSION)settings->height;
    jpeg->input_components = settings->components;
    jpeg->in_color_space = settings->components == 1 ? JCS_GRAYSCALE : JCS_YCbCr;
    jpeg_set_defaults(jpeg);
    jpeg->comp_info[0].h_samp_factor = settings->horizontal;
    jpeg->comp_info[0].v_samp_factor = settings->vertical;
}

int nb_jpeg_scale(const nb_jpeg_settings *settings) {
    int scale = jpeg_quality_scaling(settings->quality);
    return settings->half_lower ? (scale + jpeg_quality_scaling(settings->quality - 1)) / 2 : scale;
}

static int round_up(int value, int to) { return (value + to - 1) / to * to; }

// libjpeg reads whole blocks. Outside the image they repeat its last column and row, as its own edge expansion does.
static void copy_row(const nb_plane *plane, int row, uint8_t *to, int columns) {
    if (row >= plane->height) row = plane->height - 1;
    memcpy(to, plane->data + (ptrdiff_t)row * plane->stride, (size_t)plane->width);
    memset(to + plane->width, to[plane->width - 1], (size_t)(columns - plane->width));
}

static void write_planes(encoder *self, const nb_plane *planes, const nb_jpeg_settings *settings) {
    JSAMPROW rows[3][16];
    JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
    int band_rows[3] = {settings->vertical * 8, 8, 8}, columns[3];
    size_t total = 0;
    for (int i = 0; i < settings->components; i++) {
        columns[i] = round_up(planes[i].width, 16);
        total += (size_t)columns[i] * (size_t)band_rows[i];
    }
    self->scratch = malloc(total);
    if (self->scratch == NULL) ERREXIT1(&self->jpeg, JERR_OUT_OF_MEMORY, 0);
    uint8_t *next = self->scratch;
    for (int i = 0; i < settings->components; i++)
        for (int row = 0; row < band_rows[i]; row++, next += columns[i]) rows[i][row] = next;

    int step = settings->vertical * 8;
    for (int band = 0; band * step < settings->height; band++) {
        for (int i = 0; i < settings->components; i++)
            for (int row = 0; row < band_rows[i]; row++)
                copy_row(&planes[i], band * band_rows[i] + row, rows[i][row], columns[i]);
        jpeg_write_raw_data(&self->jpeg, arrays, (JDIMENSION)step);
    }
}

nb_status nb_jpeg_encode(const nb_plane *planes, const nb_jpeg_settings *settings, uint8_t **bytes, size_t *count,
                         nb_error *error) {
    if (settings->smallest) return nb_jpeg_encode_smallest(planes, settings, bytes, count, error);
    encoder self;
    memset(&self, 0, sizeof self);
    if (setjmp(self.output.escape)) {
        jpeg_destroy_compress(&self.jpeg);
        free(self.scratch);
        free(self.output.bytes);
        return self.output.status;
    }
    nb_jpeg_output_create(&self.output, &self.jpeg, error);
    nb_jpeg_output_begin(&self.output, &self.jpeg, (size_t)settings->width * (size_t)settings->height / 4 + 4096);
    nb_jpeg_output_describe(&self.jpeg, settings);
    jpeg_set_linear_quality(&self.jpeg, nb_jpeg_scale(settings), TRUE);
    self.jpeg.raw_data_in = TRUE;
    self.jpeg.optimize_coding = settings->optimize != 0;
    if (settings->progressive) jpeg_simple_progression(&self.jpeg);

    jpeg_start_compress(&self.jpeg, TRUE);
    write_planes(&self, planes, settings);
    jpeg_finish_compress(&self.jpeg);

    *count = nb_jpeg_output_count(&self.output);
    jpeg_destroy_compress(&self.jpeg);
    free(self.scratch);
    *bytes = nb_fitted(self.output.bytes, *count);
    return NB_OK;
}

void nb_jpeg_version(char *text, size_t count) {
#ifdef LIBJPEG_TURBO_VERSION
#define NB_TEXT(x) #x
#define NB_STRING(x) NB_TEXT(x)
    snprintf(text, count, "libjpeg-turbo %s", NB_STRING(LIBJPEG_TURBO_VERSION));
#else
    snprintf(text, count, "libjpeg %d", JPEG_LIB_VERSION);
#endif
}
