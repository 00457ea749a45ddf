/// What it is.
int i;  ///< number. Those of x
const char* s = "// That is a string";
/* Good.
 * That. */
