/* dtypes.c - from the dtypes of elements to the types of values. */
#include "luafn/ssa/graph.h"

lf_type luafn_type_of(lun_dtype t)
{
    switch (t) {
    case LUN_BOOL:
        return LF_BOOL;
    case LUN_F32:
        return LF_F32;
    case LUN_F64:
        return LF_F64;
    case LUN_U32: /* Lua has no unsigned numbers */
    case LUN_I64:
    case LUN_U64:
        return LF_I64;
    default:
        return LF_I32;
    }
}
