/* For clang-tidy, which looks at one file at a time: nb_fail returns the code that it is given, never NB_OK. */
#include "base/status.h"

#define nb_fail(code, ...) ((nb_fail)(code, __VA_ARGS__), (code))
