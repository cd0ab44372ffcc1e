/* version.c - see version.h. */
#include "math/version.h"

#include <string.h>

#include "lunarray_bind.h"

static const struct {
    const char *name, *digest;
} known[] = {
#define LUN_BITS_ROW(NAME, digest) {#NAME, digest},
#include "math/versions.def"
#undef LUN_BITS_ROW
};

int lun__version_number(const char *name)
{
    for (int k = 0; name && k < LUN_VERSIONS; k++)
        if (!strcmp(known[k].name, name))
            return k;
    return LUN_VERSION_NONE;
}

const char *lun__version_find(const char *name)
{
    const int k = lun__version_number(name);
    return k < 0 ? NULL : known[k].name;
}

void lun__version_list(lun_strbuf *out)
{
    for (int k = 0; k < LUN_VERSIONS; k++)
        lun__strbuf_printf(out, "%s%s", k ? ", " : "", known[k].name);
}

const char *lun_bits_digest(const char *version)
{
    const int k = lun__version_number(version);
    return k < 0 ? "" : known[k].digest;
}
