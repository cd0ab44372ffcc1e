/* record.h - arrays of records from inside: descriptions of structs, checked and copied. */
#ifndef LUN_RECORD_H
#define LUN_RECORD_H

#include "api/array/array.h"

/* What an array of dtype LUN_RECORD has: its struct, and an array for each field, of records for a
 * struct in a struct. */
struct lun__record {
    lun_struct *type;
    lun_array **field;
};

/* LUN_EARG, LUN_EDTYPE, LUN_ERANGE, LUN_ESHAPE: r is no struct that records can have. */
lun_status lun__struct_check(lun_engine *e, const lun_struct *r);
/* A copy of r, which lun__struct_check has passed, in one block, to be freed; NULL: no memory. */
lun_struct *lun__struct_copy(const lun_struct *r);

/* What the kind RECORD does (record.c). */
extern const lun_logical_kind lun__record_kind;

#endif
