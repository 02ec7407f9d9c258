// The properties of XMP that a choice of metadata can keep, and the namespaces that they use.
#pragma once
#include "internal.h"

/// The longest name with its prefix, and its end.
enum { NB_USUAL_NAME = 96 };

typedef struct {
    char usual[NB_USUAL_NAME];  // with its usual prefix; empty if its namespace is not a known one
    uint32_t classes;           // the bit of its class; 0 if it belongs to none
    int is_part;                // may stand within a property without belonging to a class
} nb_field;

/// Looks up a name as Expat returns it.
nb_field nb_field_of(const char *name);
