// In each plug-in: a digest of what it and the program must agree on, which Integrations/standalone/build makes.
#ifdef NB_INTERFACE
extern const char nb_plug_in_interface[];
const char nb_plug_in_interface[] = NB_INTERFACE;
#endif
