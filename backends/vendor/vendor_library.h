/* vendor_library.h - what backends by libraries of the system share: their functions, their name,
 * their failures. */
#ifndef LUN_VENDOR_LIBRARY_H
#define LUN_VENDOR_LIBRARY_H

#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "base/library.h"

static inline lun_status lun__vendor_library_fail(const lun_services *services, lun_status s,
                                                  const char *text)
{
    lun__strbuf_clear(services->error);
    lun__strbuf_puts(services->error, text);
    return s;
}

/* Opens a row of base/library.def; why not, and what to install, in services->error. */
static inline bool lun__vendor_library_open(const lun_services *services, lun_library_id row,
                                            lun_library *library)
{
    lun__strbuf_clear(services->error);
    if (lun__library_open(row, false, library, services->error))
        return true;
    lun__strbuf_printf(services->error, "\n%s", lun__library_row(row)->install);
    return false;
}

/* The function of that name to *out; the signature has made sure of it. */
static inline void lun__vendor_library_find(const lun_library *library, const char *name, void *out)
{
    void *function = lun__library_symbol(library->handle, name);
    memcpy(out, &function, sizeof function);
}

/* "OpenBLAS 0.3.21" of a library that says so, else the row's title. */
static inline void lun__vendor_library_name(const lun_library *library, lun_library_id row,
                                            char name[128])
{
    const char *(*config)(void);
    char word[48], version[48];
    lun__vendor_library_find(library, "openblas_get_config", &config);
    const char *text = config ? config() : NULL;
    if (text && sscanf(text, "%47s %47s", word, version) == 2)
        snprintf(name, 128, "%s %s", word, version);
    else
        snprintf(name, 128, "%s", lun__library_row(row)->title);
}

#endif
