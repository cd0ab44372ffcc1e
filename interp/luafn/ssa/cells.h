/* cells.h - indices that are known before a launch, and the elements that a function of lun.each
 * reads and assigns there. */
#ifndef LUAFN_CELLS_H
#define LUAFN_CELLS_H

#include "luafn/graph/body_builder.h"

/* Index v as a parameter that is an index of the loop, plus a constant, or as a constant; false: it
 * is something else. */
bool luafn_cell_find_index(const lf_compile *c, lf_value *v, lun_front_index *out);

/* True if both name the same element of one array. */
bool luafn_cell_same_window(const lf_window *a, const lf_window *b);

/* Where elements may be assigned: t[i], t an array or a part that lacks one index.  The element, if
 * no other round of the loop has it; NULL: one may. */
lf_value *luafn_cell_read(lf_builder *b, lf_value *t, lf_value *i);
/* t[i] = x, of such an element; false: it is none. */
bool luafn_cell_write(lf_builder *b, lf_value *t, lf_value *i, lf_value *x);
/* When a function is built: makes the assigned elements results.  Fails where another element of an
 * array may have been assigned before one is read or assigned. */
void luafn_cell_end(lf_compile *c);

/* ---- for put_rounds.c ---- */

/* A variable for an element that is assigned; `first`: its initial value. */
int luafn_cell_element_var(lf_compile *c, lf_value *first);
/* Fails: `other` assigns or reads an array that another round may have assigned at `written`. */
_Noreturn void luafn_cell_refuse_overlap(lf_compile *c, int source, lf_spot written, lf_spot other,
                                         bool assigns);
/* Fails where an element of the array is read that is no cell. */
void luafn_cell_refuse_loads(lf_compile *c, int source, lf_spot written);

#endif
