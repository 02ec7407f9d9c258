#pragma once

// Nothing to call: linked to a program of tests it gives the process a folder of caches of its own.
