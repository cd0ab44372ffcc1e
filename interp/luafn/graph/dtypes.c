/* dtypes.c - from the dtypes of elements to the types of values. */
#include "luafn/graph/graph.h"

/* Lua has no unsigned numbers: those that i32 cannot hold are i64. */
lf_type luafn_type_of(lun_dtype t)
{
    int precision = lun__dtype_precision(t);
    if (lun__dtype_is_bool(t))
        return LF_BOOL;
    if (lun__dtype_is_float(t))
        return precision > 24 ? LF_F64 : LF_F32;
    return precision > 31 ? LF_I64 : LF_I32;
}
