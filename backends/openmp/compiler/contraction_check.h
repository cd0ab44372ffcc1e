/* contraction_check.h - whether machine code rounds products together with sums in a way that no
 * text of a kernel asks for.  Knows neither compiler nor text. */
#ifndef LUN_CONTRACTION_CHECK_H
#define LUN_CONTRACTION_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* True if the code of a shared object that lun__loader_check has seen has an instruction of the
 * group vfmaddsub, vfmsubadd.  False on other machines than x86-64. */
bool lun__contracted(const void *bytes, size_t length);

#endif
