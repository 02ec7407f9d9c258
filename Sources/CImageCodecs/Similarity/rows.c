// One set of the functions for the vectors that most x86 processors have, and one for any processor.
#include "rows_kernels.h"

#define NB_ROW_FUNCTIONS(name, attribute) \
    attribute static void to_xyb_##name(const float *const linear[3], float *const xyb[3], int32_t width) { \
        to_xyb(linear, xyb, width); \
    } \
    attribute static void halve_##name(const float *upper, const float *lower, float *to, int32_t width) { \
        halve(upper, lower, to, width); \
    } \
    attribute static void square_##name(const float *reference, const float *other, float *squares, float *differences, \
                                        int32_t width) { \
        square(reference, other, squares, differences, width); \
    } \
    attribute static void add_maps_##name(const nb_map_rows *rows, int32_t width, int has_structure, int has_edges, \
                                          float *scratch, nb_map_sums *sums) { \
        if (has_structure && has_edges) add_maps(rows, width, 1, 1, scratch, sums); \
        else add_maps(rows, width, has_structure, has_edges, scratch, sums); \
    } \
    static const nb_row_functions name = {to_xyb_##name, halve_##name, square_##name, add_maps_##name};

NB_ROW_FUNCTIONS(portable, )

#if defined(__x86_64__)
NB_ROW_FUNCTIONS(avx2, __attribute__((target("avx2"))))

const nb_row_functions *nb_choose_row_functions(int is_portable) {
    return !is_portable && __builtin_cpu_supports("avx2") ? &avx2 : &portable;
}
#else
const nb_row_functions *nb_choose_row_functions(int is_portable) {
    (void)is_portable;
    return &portable;
}
#endif
