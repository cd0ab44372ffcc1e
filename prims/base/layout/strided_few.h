/* strided_few.h - a few elements that stand apart in memory, one after the other: no more is looked
 * at than their size.  Knows no layout. */
#ifndef LUN_STRIDED_FEW_H
#define LUN_STRIDED_FEW_H

#include <stdint.h>
#include <string.h>

/* count elements of `size` bytes: 1, 2, 4 or 8; steps in bytes. */
static inline void lun__strided_few_copy(char *to, int64_t to_step, const char *from,
                                         int64_t from_step, int64_t count, size_t size)
{
    for (int64_t k = 0; k < count; k++, to += to_step, from += from_step) {
        if (size == 8)
            memcpy(to, from, 8);
        else if (size == 4)
            memcpy(to, from, 4);
        else
            memcpy(to, from, size);
    }
}

#endif
