/* stack.h - the stack that the OpenMP runtime gives its threads. */
#ifndef LUN_STACK_H
#define LUN_STACK_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes in a value of OMP_STACKSIZE as libgomp reads it: a decimal number of kilobytes, or with a
 * letter of bytes, kilo-, mega- or gigabytes (b, k, m, g, of either case), blanks around either.
 * False for NULL and for what it refuses. */
bool lun__stack_parse(const char *text, size_t *bytes);
/* The stack of libgomp's threads in this process: OMP_STACKSIZE's, else GOMP_STACKSIZE's; false:
 * that of any other thread.  It is the environment's of now, where libgomp looked when it was
 * loaded. */
bool lun__stack_bytes(size_t *bytes);

#endif
