"""One module for each server. `serve(instance)` starts the processes and returns the facts that clients need."""
