#pragma once
// In builds with the trait PlugIns, codecs stand in shared objects beside the program and are loaded when a file or a manifest
// asks for one (docs/adr/0013-plug-ins.md). They are this package's own C files, compiled and linked for themselves.
#include "internal.h"

/// Returns a plug-in's function, which stays valid; NULL with a message if the plug-in cannot be loaded.
void *nb_plug_in_function(nb_plug_in plug_in, const char *name, nb_error *error);

/// Finds a plug-in's file, which must be the one that was built with the program: of `count` bytes with this CRC-32. Checks its
/// owner and its mode, and those of the folders on the way from the program, so that nobody else can replace it. Returns 1
/// with its path, or 0 with a message.
int nb_plug_in_find(const char *name, size_t count, uint32_t checksum, char *path, size_t capacity, nb_error *error);
