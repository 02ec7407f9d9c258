// JPEG decoder: libjpeg's raw planes, DCT-scaled, without upsampling and colour conversion.
#include "internal.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

typedef struct {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    nb_status status;
    nb_error *error;
    int max_scans;
    int is_partial;  // the data may end early
    int has_ended;
    size_t scan_left;     // bytes from the last scan's header to the end of the file
    int is_out_of_order;  // a component's AC coefficients came before its DC coefficients
} decoder;

static nb_status status_of(int code) {
    switch (code) {
        case JWRN_JPEG_EOF: case JERR_INPUT_EMPTY: case JERR_INPUT_EOF: return NB_TRUNCATED;
        case JERR_OUT_OF_MEMORY: return NB_MEMORY;
        case JERR_BAD_PRECISION: case JERR_SOF_UNSUPPORTED: case JERR_ARITH_NOTIMPL: case JERR_NOT_COMPILED:
        case JERR_CONVERSION_NOTIMPL: case JERR_CCIR601_NOTIMPL: case JERR_FRACT_SAMPLE_NOTIMPL: case JERR_NOTIMPL:
            return NB_UNSUPPORTED;
        default: return NB_CORRUPT;
    }
}

static void leave(j_common_ptr jpeg) {
    decoder *self = jpeg->client_data;
    self->status = status_of(jpeg->err->msg_code);
    jpeg->err->format_message(jpeg, self->error->message);
    longjmp(self->escape, 1);
}

// The most bytes behind a scan that are taken for a writer's mistake: half a row of its blocks, within bounds. More may be rows
// that the header does not count, or what is left of damaged data.
static size_t most_stray_bytes(const decoder *self) {
    enum { least = 32, most = 256 };
    size_t rows = self->jpeg.total_iMCU_rows, bytes = self->scan_left - self->jpeg.src->bytes_in_buffer;
    size_t half = rows > 0 ? bytes / (2 * rows) : 0;
    return half < least ? least : half > most ? most : half;
}

// What a warning means for the pixels: they are whole but for NB_WARNING_…, or 0, they are not. libjpeg-turbo's warnings of
// a decoder are those below and these: JWRN_HIT_MARKER, JWRN_HUFF_BAD_CODE, JWRN_ARITH_BAD_CODE and JWRN_MUST_RESYNC, where
// it goes on with gray or with the pixels of another place, and JWRN_JPEG_EOF, where the data end.
static nb_warning meaning(decoder *self) {
    const struct jpeg_error_mgr *errors = self->jpeg.err;
    const int *numbers = errors->msg_parm.i;
    switch (errors->msg_code) {
        // Of another version of JFIF, all decoders read what they know. Of an unknown transform, all take the usual one.
        case JWRN_JFIF_MAJOR: case JWRN_ADOBE_XFORM: return NB_WARNING_HEADER_VALUE;
        // A sequential scan has all coefficients, whatever its header says.
        case JWRN_NOT_SEQUENTIAL: return NB_WARNING_HEADER_VALUE;
        case JWRN_EXTRANEOUS_DATA:
            // No writer is known that leaves bytes before a restart: there, coded data of a wrong length is damaged.
            if (numbers[1] >= 0xD0 && numbers[1] <= 0xD7) return 0;
            // Before the first scan, there are no pixels.
            if (self->scan_left > 0 && (size_t)numbers[0] > most_stray_bytes(self)) return 0;
            return NB_WARNING_STRAY_BYTES;
        case JWRN_BOGUS_PROGRESSION:
            // Coefficient 0 of a scan that has others: it may come later.
            if (numbers[1] != 0 || self->jpeg.Ss == 0) return 0;
            self->is_out_of_order = 1;
            return NB_WARNING_PART_PLACE;
        default: return 0;
    }
}

// After some warnings, libjpeg continues and fills the rest with gray, so they are errors here. If the data may end early,
// warnings after its end are expected, and the scans received so far form the image.
static void on_message(j_common_ptr jpeg, int level) {
    decoder *self = jpeg->client_data;
    if (jpeg->err->msg_code == JTRC_SOS) self->scan_left = self->jpeg.src->bytes_in_buffer;
    if (level >= 0) return;
    nb_warning warning = meaning(self);
    if (warning != 0) nb_warn(self->error, warning);
    if (self->is_partial && jpeg->err->msg_code == JWRN_JPEG_EOF) self->has_ended = 1;
    if (warning == 0 && !self->has_ended) leave(jpeg);
}

// Whether each component has had its DC coefficients.
static int is_complete(const decoder *self) {
    if (!self->is_out_of_order || self->jpeg.coef_bits == NULL) return 1;
    for (int i = 0; i < self->jpeg.num_components; i++)
        if (self->jpeg.coef_bits[i][0] < 0) return 0;
    return 1;
}

// A progressive file may repeat its scans without end, each costing a pass over all coefficients.
static void on_progress(j_common_ptr jpeg) {
    decoder *self = jpeg->client_data;
    if (self->jpeg.input_scan_number <= self->max_scans) return;
    self->status = NB_LIMITS;
    snprintf(self->error->message, sizeof self->error->message, "it has more than %d scans", self->max_scans);
    longjmp(self->escape, 1);
}

// Called inside the caller's setjmp.
static void open_decoder(decoder *self, const uint8_t *bytes, size_t count) {
    jpeg_create_decompress(&self->jpeg);
    jpeg_mem_src(&self->jpeg, (unsigned char *)bytes, count);
    jpeg_read_header(&self->jpeg, TRUE);
}

static void prepare(decoder *self, nb_error *error) {
    memset(self, 0, sizeof *self);
    self->error = error;
    self->jpeg.err = jpeg_std_error(&self->errors);
    self->errors.error_exit = leave;
    self->errors.emit_message = on_message;
    self->jpeg.client_data = self;
}

nb_status nb_jpeg_read_header(const uint8_t *bytes, size_t count, nb_jpeg_header *header, nb_error *error) {
    decoder self;
    prepare(&self, error);
    if (setjmp(self.escape)) {
        jpeg_destroy_decompress(&self.jpeg);
        return self.status;
    }
    open_decoder(&self, bytes, count);

    memset(header, 0, sizeof *header);
    header->width = (int32_t)self.jpeg.image_width;
    header->height = (int32_t)self.jpeg.image_height;
    header->components = self.jpeg.num_components;
    for (int i = 0; i < self.jpeg.num_components && i < 4; i++) {
        header->horizontal[i] = self.jpeg.comp_info[i].h_samp_factor;
        header->vertical[i] = self.jpeg.comp_info[i].v_samp_factor;
    }
    switch (self.jpeg.jpeg_color_space) {
        case JCS_GRAYSCALE: header->color = NB_JPEG_GRAY; break;
        case JCS_YCbCr: header->color = NB_JPEG_YCBCR; break;
        case JCS_RGB: header->color = NB_JPEG_RGB; break;
        case JCS_CMYK: case JCS_YCCK: header->color = NB_JPEG_CMYK; break;
        default: header->color = NB_JPEG_OTHER; break;
    }
    header->progressive = self.jpeg.progressive_mode;
    header->multiple_scans = jpeg_has_multiple_scans(&self.jpeg);
    header->adobe = self.jpeg.saw_Adobe_marker;
    jpeg_destroy_decompress(&self.jpeg);
    return NB_OK;
}

static int32_t ceil_div(int64_t value, int64_t by) { return (int32_t)((value + by - 1) / by); }

// libjpeg trades a component's subsampling for a larger DCT where it can: at 4/8, the chroma of a 4:2:0 file is decoded
// at 8/8 and comes out as large as the luma (jpeg_calc_output_dimensions).
static int dct_size(const nb_jpeg_header *header, int component, int scale, int max_h, int max_v) {
    int size = scale;
    while (size < 8 && (max_h * scale) % (header->horizontal[component] * size * 2) == 0 &&
           (max_v * scale) % (header->vertical[component] * size * 2) == 0)
        size *= 2;
    return size;
}

void nb_jpeg_plan_decode(const nb_jpeg_header *header, int scale, nb_jpeg_plan *plan) {
    int max_h = 1, max_v = 1;
    for (int i = 0; i < header->components && i < 4; i++) {
        if (header->horizontal[i] > max_h) max_h = header->horizontal[i];
        if (header->vertical[i] > max_v) max_v = header->vertical[i];
    }
    memset(plan, 0, sizeof *plan);
    plan->scale = scale;
    plan->width = ceil_div((int64_t)header->width * scale, 8);
    plan->height = ceil_div((int64_t)header->height * scale, 8);

    // Planar output needs luma (or all of RGB) at full sampling. Other layouts go through libjpeg's own upsampling.
    int full = header->horizontal[0] == max_h && header->vertical[0] == max_v;
    int even = full;
    for (int i = 1; i < header->components && i < 3; i++)
        even = even && header->horizontal[i] == max_h && header->vertical[i] == max_v;
    plan->planar = header->color == NB_JPEG_GRAY || (header->color == NB_JPEG_YCBCR && full) ||
                   (header->color == NB_JPEG_RGB && even);
    if (!plan->planar) {
        int channels = header->color == NB_JPEG_CMYK ? 4 : 3;
        plan->count = 1;
        plan->plane[0].width = plan->plane[0].columns = plan->width * channels;
        plan->plane[0].height = plan->plane[0].rows = plan->height;
        plan->plane[0].extent_x = (double)header->width * scale / 8 * channels;
        plan->plane[0].extent_y = (double)header->height * scale / 8;
        return;
    }
    plan->count = header->components;
    int imcu_rows = ceil_div(header->height, max_v * 8);
    for (int i = 0; i < plan->count; i++) {
        int size = dct_size(header, i, scale, max_h, max_v);
        int64_t h = header->horizontal[i], v = header->vertical[i];
        plan->plane[i].width = ceil_div((int64_t)header->width * h * size, max_h * 8);
        plan->plane[i].height = ceil_div((int64_t)header->height * v * size, max_v * 8);
        plan->plane[i].columns = ceil_div((int64_t)header->width * h, max_h * 8) * size;
        plan->plane[i].rows = imcu_rows * (int)v * size;
        plan->plane[i].extent_x = (double)header->width * h * size / (max_h * 8);
        plan->plane[i].extent_y = (double)header->height * v * size / (max_v * 8);
    }
}

static int plan_holds(const decoder *self, const nb_jpeg_plan *plan) {
    if (self->jpeg.output_width != (JDIMENSION)plan->width || self->jpeg.output_height != (JDIMENSION)plan->height)
        return 0;
    // The header may have been read from other bytes, so the output must be checked against the allocated planes.
    if (!plan->planar) return plan->plane[0].width == plan->width * self->jpeg.output_components;
    if (self->jpeg.num_components != plan->count) return 0;
    for (int i = 0; i < plan->count; i++) {
        const jpeg_component_info *part = &self->jpeg.comp_info[i];
        int32_t rows = (int32_t)self->jpeg.total_iMCU_rows * part->v_samp_factor * part->DCT_scaled_size;
        if ((int32_t)part->width_in_blocks * part->DCT_scaled_size > plan->plane[i].columns ||
            rows > plan->plane[i].rows || (int32_t)part->downsampled_width != plan->plane[i].width ||
            (int32_t)part->downsampled_height != plan->plane[i].height)
            return 0;
    }
    return 1;
}

static void read_planes(decoder *self, const nb_plane *planes) {
    JSAMPROW rows[3][64];
    JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
    struct jpeg_decompress_struct *jpeg = &self->jpeg;
    JDIMENSION step = (JDIMENSION)(jpeg->max_v_samp_factor * jpeg->min_DCT_scaled_size);
    for (int band = 0; jpeg->output_scanline < jpeg->output_height; band++) {
        for (int i = 0; i < jpeg->num_components; i++) {
            int count = jpeg->comp_info[i].v_samp_factor * jpeg->comp_info[i].DCT_scaled_size;
            for (int row = 0; row < count; row++)
                rows[i][row] = planes[i].data + ((ptrdiff_t)band * count + row) * planes[i].stride;
        }
        jpeg_read_raw_data(jpeg, arrays, step);
    }
}

static void read_packed(decoder *self, const nb_plane *plane) {
    while (self->jpeg.output_scanline < self->jpeg.output_height) {
        JSAMPROW row = plane->data + (ptrdiff_t)self->jpeg.output_scanline * plane->stride;
        jpeg_read_scanlines(&self->jpeg, &row, 1);
    }
}

nb_status nb_jpeg_decode(const uint8_t *bytes, size_t count, const nb_jpeg_plan *plan, int max_scans, int is_partial,
                         const nb_plane *planes, nb_error *error) {
    decoder self;
    prepare(&self, error);
    if (setjmp(self.escape)) {
        jpeg_destroy_decompress(&self.jpeg);
        return self.status;
    }
    open_decoder(&self, bytes, count);
    self.max_scans = max_scans;
    self.is_partial = is_partial;
    self.progress.progress_monitor = on_progress;
    self.jpeg.progress = &self.progress;

    self.jpeg.scale_num = (unsigned)plan->scale;
    self.jpeg.scale_denom = 8;
    self.jpeg.do_block_smoothing = is_partial;  // only for files that lack scans, which are otherwise refused
    if (plan->planar) {
        self.jpeg.raw_data_out = TRUE;
        self.jpeg.out_color_space = self.jpeg.jpeg_color_space;
    } else if (self.jpeg.num_components == 4) {
        self.jpeg.out_color_space = JCS_CMYK;
    } else {
        self.jpeg.out_color_space = JCS_RGB;
    }
    jpeg_start_decompress(&self.jpeg);
    if (!plan_holds(&self, plan)) {
        jpeg_destroy_decompress(&self.jpeg);
        return nb_fail(error, NB_PROCESSING, "libjpeg sizes its planes in another way than expected");
    }
    if (plan->planar)
        read_planes(&self, planes);
    else
        read_packed(&self, planes);
    int is_whole = is_partial || is_complete(&self);
    jpeg_finish_decompress(&self.jpeg);  // reads up to the end marker: a file without it is truncated
    jpeg_destroy_decompress(&self.jpeg);
    return is_whole ? NB_OK : nb_fail(error, NB_CORRUPT, "a component lacks its DC coefficients");
}
