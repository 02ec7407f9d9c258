#pragma once
#include <stdint.h>

#include <expat.h>

// Positions in a document. expat 2.9 deprecates the functions that have the system's word size.
#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
static inline int64_t nb_xml_byte_index(XML_Parser parser) { return XML_GetCurrentByteIndex64(parser); }
static inline uint64_t nb_xml_byte_count(XML_Parser parser) { return XML_GetCurrentByteCount64(parser); }
static inline uint64_t nb_xml_line(XML_Parser parser) { return XML_GetCurrentLineNumber64(parser); }
#else
static inline int64_t nb_xml_byte_index(XML_Parser parser) { return XML_GetCurrentByteIndex(parser); }
static inline uint64_t nb_xml_byte_count(XML_Parser parser) { return (uint64_t)XML_GetCurrentByteCount(parser); }
static inline uint64_t nb_xml_line(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }
#endif
