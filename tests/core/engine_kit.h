/* engine_kit.h - an engine for each test of a program, and what must be left when
 * it ends: nothing. */
#ifndef ENGINE_KIT_H
#define ENGINE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lunarray.h"

static lun_engine *e;

#define OK(call)                                                   \
    do {                                                           \
        lun_status s_ = (call);                                    \
        if (s_)                                                    \
            fail_msg("%s: %s", lun_status_name(s_), lun_error(e)); \
    } while (0)

/* The call fails so, with this in its text. */
#define FAILS(call, status, words)                            \
    do {                                                      \
        assert_int_equal((call), status);                     \
        if (!strstr(lun_error(e), words))                     \
            fail_msg("no '%s' in '%s'", words, lun_error(e)); \
    } while (0)

/* Setup of a test; kernels are not kept. Nonzero: it failed. */
static inline int kit_engine_open(const char *backend)
{
    lun_config c = {.size = sizeof c, .backend = backend, .cache_dir = ""};
    return lun_open(&c, &e) != LUN_OK;
}

/* Its end. Nonzero: something was left over. */
static inline int kit_engine_close(void)
{
    lun_stats s = {.size = sizeof s};
    lun_stats_get(e, &s);
    lun_close(e);
    return s.nodes != 0 || s.allocated != 0;
}

/* The same as cmocka calls them, for tests of the reference backend. */
static inline int kit_reference_open(void **state)
{
    (void)state;
    return kit_engine_open("reference");
}

static inline int kit_close(void **state)
{
    (void)state;
    return kit_engine_close();
}

#endif
