// Writes, as C, the part of ICU's data that nuke-batch uses: the mappings of international domain names (UTS #46), which
// Foundation's URL needs. All of the data are 34 MB, nine tenths of them about languages and calendars.
//
// The linker's --wrap puts them in the place of the whole. Linked with the toolchain's lib_FoundationICU.a; DATA is the
// symbol of its data, such as icudt76_dat. The format is that of ICU's common data: a header, whose first 16 bits are its
// length, then a table of contents, then the items.
// https://unicode-org.github.io/icu/userguide/icu_data/#icu-data-file-formats (package format "CmnD", version 1)
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern const uint8_t DATA[];
#define TEXT(symbol) #symbol
#define NAME(symbol) TEXT(symbol)

struct entry { uint32_t name, data; };

static const char wanted[] = "/uts46.nrm";

static void write_bytes(const void *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) printf("%u,", ((const uint8_t *)bytes)[index]);
}

int main(void) {
    uint16_t header;
    memcpy(&header, DATA, sizeof header);
    const uint8_t *contents = DATA + header;
    uint32_t count;
    memcpy(&count, contents, sizeof count);
    const struct entry *entries = (const struct entry *)(contents + sizeof count);
    if (DATA[2] != 0xda || DATA[3] != 0x27 || memcmp(DATA + 12, "CmnD", 4) != 0) {
        fprintf(stderr, "icu-subset: " NAME(DATA) " is no common data of ICU\n");
        return 1;
    }
    for (uint32_t index = 0; index < count; index++) {
        const char *name = (const char *)contents + entries[index].name;
        if (strlen(name) < sizeof wanted || strcmp(name + strlen(name) - strlen(wanted), wanted) != 0) continue;
        if (index + 1 == count) break; // its length is told by the item behind it
        size_t length = entries[index + 1].data - entries[index].data;
        // The item keeps the alignment of 16 bytes that it has in the whole.
        struct entry own = {sizeof count + sizeof own, 0};
        own.data = (own.name + (uint32_t)strlen(name) + 1 + header + 15) / 16 * 16 - header;
        printf("const _Alignas(16) unsigned char __wrap_" NAME(DATA) "[] = {");
        write_bytes(DATA, header);
        write_bytes(&(uint32_t){1}, sizeof count);
        write_bytes(&own, sizeof own);
        write_bytes(name, strlen(name) + 1);
        for (size_t gap = own.name + strlen(name) + 1; gap < own.data; gap++) printf("0,");
        write_bytes(contents + entries[index].data, length);
        printf("};\n");
        return 0;
    }
    fprintf(stderr, "icu-subset: " NAME(DATA) " holds no%s\n", wanted);
    return 1;
}
