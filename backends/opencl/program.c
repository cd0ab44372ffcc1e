/* program.c - a kernel's text becomes a program: by the cache on disk, else by the driver's compiler;
 * see state.h.  Knows no IR and no launch. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opencl/guard.h"
#include "opencl/state.h"

/* PATIENCE: with a program that another process makes; LEFT: with one that it has left unmade. */
enum { QUOTE = 4096, LOCK_MS = 10000, PATIENCE_MS = 30000, LEFT_MS = 500 };
static const int64_t MILLISECOND = 1000000;

/* ---- the cache on disk --------------------------------------------------------------------------- */

static const char *options_of(const lun_cl_device *d)
{
    return d->rounded ? LUN_CL_OPTIONS " " LUN_CL_ROUNDED : LUN_CL_OPTIONS;
}

void lun_opencl_key(const lun_cl_device *d, const char *text, lun_strbuf *key)
{
    lun_strbuf_printf(key, "opencl %d\n%s\n%s\n%016llx\n%s\n", LUN_CL_ABI, d->driver, d->name,
                      (unsigned long long)d->host, options_of(d));
    lun_strbuf_puts(key, text);
}

/* A program from the driver's own output, which the cache has checked; NULL if the driver does not take
 * it back. */
static cl_program from_binary(lun_opencl *o, const void *bytes, size_t length)
{
    const unsigned char *binary = bytes;
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    cl_program p = o->cl.clCreateProgramWithBinary(o->context, 1, &o->device.id, &length, &binary,
                                                   &status, &code);
    if (p && status == CL_SUCCESS &&
        o->cl.clBuildProgram(p, 1, &o->device.id, options_of(&o->device), NULL, NULL) == CL_SUCCESS)
        return p;
    if (p)
        o->cl.clReleaseProgram(p);
    return NULL;
}

static cl_program from_cache(lun_opencl *o, const lun_kernel *k)
{
    void *bytes;
    size_t length;
    lun_guard g;
    if (k->key.failed ||
        !lun_cache_load(o->services->cache, k->key.text, k->key.length, &bytes, &length))
        return NULL;
    lun_guard_enter(&g, false);
    cl_program p = from_binary(o, bytes, length);
    lun_guard_leave(&g);
    free(bytes);
    return p;
}

/* A program that another process has made or is making, or NULL: then it is ours to make.  PoCL 3.1 crashes where one
 * process asks for a program's binary while another compiles the same; so whoever stores it has claimed it before, and
 * whoever did not get a claim, after some patience, does not store. */
static cl_program await(lun_opencl *o, lun_kernel *k)
{
    int64_t start = lun_opencl_now(), left = 0;
    for (;;) {
        cl_program p = from_cache(o, k);
        if (p || k->key.failed)
            return p;
        int64_t now = lun_opencl_now();
        k->claim = lun_cache_claim(o->services->cache, k->key.text, k->key.length,
                                   left && now - left > LEFT_MS * MILLISECOND);
        if (k->claim >= 0) {
            p = from_cache(o, k); /* it may have been made since it was looked for */
            if (p)
                lun_opencl_program_unclaim(o, k);
            return p;
        }
        if (k->claim == LUN_CLAIM_NONE || now - start > PATIENCE_MS * MILLISECOND ||
            lun_stop_wanted(o->services))
            return NULL;
        left = k->claim == LUN_CLAIM_TAKEN ? 0 : left ? left : now;
        nanosleep(&(struct timespec){.tv_nsec = 5 * MILLISECOND}, NULL);
    }
}

void lun_opencl_program_unclaim(lun_opencl *o, lun_kernel *k)
{
    if (k->claim < 0)
        return;
    lun_cache_unclaim(o->services->cache, k->key.text, k->key.length);
    lun_cache_unlock(k->claim);
    k->claim = -1;
}

void lun_opencl_program_store(lun_opencl *o, lun_kernel *k)
{
    size_t length = 0;
    lun_guard g;
    if (k->stored)
        return;
    k->stored = true; /* also if it cannot be: then it is not tried again */
    if (k->claim < 0)
        return;
    lun_guard_enter(&g, false);
    cl_int code =
        o->cl.clGetProgramInfo(k->program, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, NULL);
    unsigned char *bytes = code == CL_SUCCESS && length ? malloc(length) : NULL;
    if (bytes && o->cl.clGetProgramInfo(k->program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes,
                                        NULL) == CL_SUCCESS)
        lun_cache_store(o->services->cache, k->key.text, k->key.length, bytes, length);
    free(bytes);
    lun_guard_leave(&g);
    lun_opencl_program_unclaim(o, k);
}

/* ---- the driver's compiler ----------------------------------------------------------------------- */

/* The compiler's words, capped. */
static void quote(lun_opencl *o, cl_program p, lun_strbuf *words)
{
    size_t length = 0;
    if (o->cl.clGetProgramBuildInfo(p, o->device.id, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) !=
            CL_SUCCESS ||
        length < 2)
        return;
    char *log = malloc(length + 1);
    if (!log)
        return;
    log[0] = 0;
    if (o->cl.clGetProgramBuildInfo(p, o->device.id, CL_PROGRAM_BUILD_LOG, length, log, NULL) ==
        CL_SUCCESS) {
        log[length] = 0;
        size_t n = strlen(log);
        while (n && log[n - 1] == '\n')
            n--;
        lun_strbuf_add(words, log, n < QUOTE ? n : QUOTE);
        if (n > QUOTE)
            lun_strbuf_puts(words, "\n... (more)");
    }
    free(log);
}

/* One run of the compiler; words: what it had to say if it fails. */
static cl_program compile(lun_opencl *o, const char *text, const char **call, cl_int *code,
                          lun_strbuf *words)
{
    *call = "clCreateProgramWithSource";
    cl_program p = o->cl.clCreateProgramWithSource(o->context, 1, &text, NULL, code);
    if (!p)
        return NULL;
    *call = "clBuildProgram";
    *code = o->cl.clBuildProgram(p, 1, &o->device.id, options_of(&o->device), NULL, NULL);
    if (*code == CL_SUCCESS)
        return p;
    lun_strbuf_clear(words);
    quote(o, p, words);
    o->cl.clReleaseProgram(p);
    return NULL;
}

static bool refused(cl_int code)
{
    return code == CL_BUILD_PROGRAM_FAILURE || code == CL_COMPILE_PROGRAM_FAILURE ||
           code == CL_LINK_PROGRAM_FAILURE;
}

/* Drivers that keep files of their own fail now and then where several processes compile the same for
 * the first time: without an error in their words it is tried once more, alone. */
static cl_program compile_twice(lun_opencl *o, const char *text, const char **call, cl_int *code,
                                lun_strbuf *words)
{
    cl_program p = compile(o, text, call, code, words);
    if (p || !refused(*code) || strstr(lun_strbuf_text(words), "error:"))
        return p;
    int lock = lun_cache_lock(o->services->cache, LOCK_MS);
    p = compile(o, text, call, code, words);
    lun_cache_unlock(lock);
    return p;
}

lun_status lun_opencl_program(lun_opencl *o, const char *text, lun_kernel *k)
{
    lun_strbuf words = LUN_STRBUF_INIT;
    const char *call = "";
    cl_int code = CL_SUCCESS;
    lun_guard g;
    lun_opencl_key(&o->device, text, &k->key);
    k->program = await(o, k);
    k->stored = k->program || k->key.failed;
    if (k->program)
        o->services->stats->cache_hits++;
    else if (lun_stop_wanted(o->services)) { /* the compiler cannot be interrupted once it runs */
        lun_opencl_program_unclaim(o, k);
        return lun_opencl_fail(o, LUN_ECANCEL, "interrupted");
    } else {
        int64_t start = lun_opencl_now();
        lun_guard_enter(&g, false);
        k->program = compile_twice(o, text, &call, &code, &words);
        lun_guard_leave(&g);
        o->services->stats->compile_time += 1e-9 * (double)(lun_opencl_now() - start);
    }
    lun_status s = LUN_OK;
    if (!k->program)
        lun_opencl_program_unclaim(o, k);
    if (!k->program)
        s = refused(code) ? LUN_EBUILD : lun_opencl_failed(o, call, code);
    else if (!k->stored)
        o->services->stats->compiles++;
    if (s == LUN_EBUILD)
        lun_opencl_fail(o, s, "%s: the kernel does not compile (%s, %s)%s%s", o->device.name, call,
                        lun_cl_error_name(code), words.length ? ":\n" : "",
                        lun_strbuf_text(&words));
    lun_strbuf_free(&words);
    return s;
}
