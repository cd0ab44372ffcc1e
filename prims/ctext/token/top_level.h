/* top_level.h - C text cut into what stands at its top level: function definitions and
 * declarations. Bodies are only matched brace for brace; types are not looked at. */
#ifndef LUN_TOP_LEVEL_H
#define LUN_TOP_LEVEL_H

#include "ctext/token/source_text.h"

/* Numbers are tokens, -1 where there is none. */
typedef struct lun_cunit {
    int start, end;  /* first and last: the last is a ';' or the body's '}' */
    int name;        /* the name before the parameters */
    int open, close; /* the parameters' parentheses */
    int body;        /* a definition's '{' */
    int external;    /* the word extern */
    bool is_static, is_typedef, assigned;
    bool is_const, is_constant; /* the words const, and OpenCL's __constant */
    bool marked;                /* the name is written <name> */
} lun_cunit;

typedef struct lun_cunits {
    lun_cunit *at;
    int count, room;
    int *declared; /* names of variables, types, tags, enumerators; once per declaration */
    int declared_count, declared_room;
} lun_cunits;

/* Fills an empty *out, to be freed in every case.  LUN_EARG with what is wrong and where in error:
 * braces or parentheses that do not match, something that is no declaration. */
lun_status lun__ctop_level_read(lun_cunits *out, const lun_csource *s, lun_strbuf *error);
void lun__ctop_level_free(lun_cunits *u);

#endif
