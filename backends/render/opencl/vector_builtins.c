/* vector_builtins.c - OpenCL C's own functions on whole vectors, by way of its own vector types.
 * Knows no IR. */
#include "render/opencl/cl_texts.h"

#include "render/vector/vector.h"

void lun__vector_builtin_named(lun_renderer *r, const char *helper, const char *name, int arity,
                               lun_rep rep)
{
    const char *t = lun__dtype_get(rep.t)->ctype;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text, "INLINE $v %s($v a%s%s)\n{\n    union { $v v; %s$W o; } x = {a}",
                       helper, arity > 1 ? ", $v b" : "", arity > 2 ? ", $v c" : "", t);
    lun__strbuf_printf(&text, "%s%s;\n    x.o = %s(x.o%s%s);\n    return x.v;\n}\n",
                       arity > 1 ? ", y = {b}" : "", arity > 2 ? ", z = {c}" : "", name,
                       arity > 1 ? ", y.o" : "", arity > 2 ? ", z.o" : "");
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
}
