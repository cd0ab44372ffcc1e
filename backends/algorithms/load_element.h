/* load_element.h - elements of any dtype as the few types in which algorithms compute.
 *
 * Private to algorithms/. */
#ifndef LUN_LOAD_ELEMENT_H
#define LUN_LOAD_ELEMENT_H

#include "backend.h"

/* Elements at which loads are cut: what is loaded stays in the nearest cache. */
enum { LUN_LOAD_BLOCK = 1024 };

/* Elements from .. from + n - 1 as keys: equal ones are equal, and they ascend as groups do.  Zeros
 * are one key, and so are NaNs, the last one. */
void lun__load_keys(const lun_column *c, int64_t from, int64_t n, uint64_t *to);
/* The least and the greatest of these keys, if they go beyond what *low and *high are. */
void lun__load_range(const lun_column *c, int64_t from, int64_t n, uint64_t *low, uint64_t *high);
/* Keys less `low`, all of which are below 2^32. */
void lun__load_offsets(const lun_column *c, int64_t from, int64_t n, uint64_t low, uint32_t *to);
/* As f64, or, of integers and bools, as 64 bits of two's complement. */
void lun__load_values(const lun_column *c, int64_t from, int64_t n, bool as_floats, void *to);
/* f64, or 64 bits of two's complement, as elements of dtype t: the inverse of it. */
void lun__load_values_back(lun_dtype t, const void *from, bool from_floats, int64_t n, void *to);

#endif
