/* version.c - see version.h. */
#include "math/version.h"

#include <string.h>

#include "lunarray_bind.h"

static const struct {
    const char *name, *digest;
} known[] = {
#define LUN_BITS_ROW(name, digest) {name, digest},
#include "math/versions.def"
#undef LUN_BITS_ROW
};
enum { KNOWN = sizeof known / sizeof *known };

static int find(const char *name)
{
    for (int k = 0; name && k < KNOWN; k++)
        if (!strcmp(known[k].name, name))
            return k;
    return -1;
}

const char *lun__version_find(const char *name)
{
    const int k = find(name);
    return k < 0 ? NULL : known[k].name;
}

void lun__version_list(lun_strbuf *out)
{
    for (int k = 0; k < KNOWN; k++)
        lun__strbuf_printf(out, "%s%s", k ? ", " : "", known[k].name);
}

const char *lun_bits_digest(const char *version)
{
    const int k = find(version);
    return k < 0 ? "" : known[k].digest;
}
