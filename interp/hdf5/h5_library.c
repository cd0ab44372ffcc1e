/* h5_library.c - see h5_library.h.
 *
 * Invariant: one_calls is held while the library runs; it is the process's, as the library is. */
#include "hdf5/h5_library.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t one_calls = PTHREAD_MUTEX_INITIALIZER;

/* Puts the address of a function of the library into *to. */
static bool find(lun_engine *e, const char *name, void *to)
{
    void *address = NULL;
    const lun_status s = lun_door_function(e, "hdf5", name, &address);
    memcpy(to, &address, sizeof address);
    return s == LUN_OK;
}

bool lun__h5_library_open(lun_engine *e, lun_h5_library *out, lun_file_fault *f)
{
    bool ok = lun_door_open(e, "hdf5", NULL) == LUN_OK;
    out->e = e;
#define LUN_H5_FIND(type, name, arguments) ok = ok && find(e, "H5" #name, &out->name);
    LUN_H5_FUNCTIONS(LUN_H5_FIND)
#undef LUN_H5_FIND
    ok = ok && (find(e, "H5Literate2", &out->Literate) || find(e, "H5Literate1", &out->Literate) ||
                find(e, "H5Literate", &out->Literate));
    out->identity = 24;
    if (ok && !find(e, "H5Oget_info3", &out->Oget_info)) {
        out->identity = 16;
        ok = find(e, "H5Oget_info1", &out->Oget_info) || find(e, "H5Oget_info", &out->Oget_info);
    }
    if (!ok)
        return lun__file_fault(f, "library", "%s", lun_error(e));
    if (!find(e, "H5Pset_file_locking", &out->Pset_file_locking))
        out->Pset_file_locking = NULL;
    lun__h5_library_begin(out);
    if (out->open() < 0)
        lun__h5_library_fault_said(out, f, "HDF5's library does not start");
    lun__h5_library_end(out);
    return !f->code;
}

void lun__h5_library_begin(lun_h5_library *x)
{
    pthread_mutex_lock(&one_calls);
    if (x->Eget_auto2(0, &x->printer, &x->printer_ctx) < 0)
        x->printer = x->printer_ctx = NULL;
    (void)x->Eset_auto2(0, NULL, NULL);
}

void lun__h5_library_end(lun_h5_library *x)
{
    (void)x->Eset_auto2(0, x->printer, x->printer_ctx);
    pthread_mutex_unlock(&one_calls);
}

/* A variable of the library's. */
static lun_h5_id variable(const lun_h5_library *x, const char *form, const char *name)
{
    char full[64];
    void *address = NULL;
    lun_h5_id id = -1;
    snprintf(full, sizeof full, "%s_%s%s", form, name, form[2] == 'P' ? "_ID_g" : "_g");
    if (lun_door_function(x->e, "hdf5", full, &address) == LUN_OK)
        memcpy(&id, address, sizeof id);
    return id;
}

lun_h5_id lun__h5_library_type(const lun_h5_library *x, const char *name)
{
    return variable(x, "H5T", name);
}

lun_h5_id lun__h5_library_property(const lun_h5_library *x, const char *name)
{
    return variable(x, "H5P_CLS", name);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* How the library describes a level of a failure. */
typedef struct error_level {
    lun_h5_id owner, major, minor;
    unsigned line;
    const char *function, *file, *text;
} error_level;

/* Keeps the innermost reason, or that a filter is missing, which is said further out. */
static int keep_reason(unsigned level, const void *error, void *ctx)
{
    error_level l;
    memcpy(&l, error, sizeof l);
    if (l.text && (level == 0 || strncmp(l.text, "required filter", 15) == 0))
        snprintf(ctx, 300, "%s", l.text);
    return 0;
}

bool lun__h5_library_fault_said(const lun_h5_library *x, lun_file_fault *f, const char *format, ...)
{
    char said[300] = "no reason given", what[300];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    (void)x->Ewalk2(0, 0, keep_reason, said);
    return lun__file_fault(f, "format", "%s: HDF5: %s", what, said);
}
