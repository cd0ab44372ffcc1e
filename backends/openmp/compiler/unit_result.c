/* unit_result.c - how a unit ends: as functions, or as a message; see unit_result.h. */
#include "openmp/compiler/unit_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmp/compiler/unity_build.h"

enum { QUOTE = 2048 }; /* bytes of the compiler's words in a message */

/* Text cut to `most` bytes at the end of a line. */
static void quote(lun_strbuf *out, const char *text, size_t most)
{
    size_t n = strlen(text);
    if (n > most) {
        n = most;
        while (n > 0 && text[n - 1] != '\n')
            n--;
        if (n == 0)
            n = most;
        lun__strbuf_add(out, text, n);
        lun__strbuf_puts(out, "... (more)");
        return;
    }
    while (n > 0 && text[n - 1] == '\n')
        n--;
    lun__strbuf_add(out, text, n);
}

static void *find(const lun_object *object, const char *name, const char *suffix)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", name, suffix);
    return lun__loader_find(object, whole);
}

/* A function that is declared and nowhere defined, in the linker's words; else those. */
static void say_undefined(lun_strbuf *why)
{
    static const char words[] = "undefined symbol: ";
    const char *at = strstr(lun__strbuf_text(why), words);
    if (!at)
        return;
    char name[128];
    const char *from = at + sizeof words - 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(from, ";, \n"), from);
    lun__strbuf_clear(why);
    lun__strbuf_printf(why,
                       "'%s' is declared but not defined, neither in the source nor among the "
                       "functions of kernels",
                       name);
}

bool lun__unit_result_load(lun_unit *u, lun_loader *l, const char *scratch, const void *bytes,
                           size_t length, lun_strbuf *why)
{
    char suffix[LUN_SUFFIX];
    lun_object *object = lun__loader_open(l, bytes, length, scratch, why);
    if (!object) {
        say_undefined(why);
        return false;
    }
    lun__unity_build_suffix(u->source, suffix);
    void *kernel = find(object, "lun_kernel", suffix), *total = find(object, "lun_total", suffix),
         *combine = find(object, "lun_combine", suffix);
    if (!kernel || (u->scans && !total) || ((u->scans || u->reduces) && !combine)) {
        lun__strbuf_puts(why, "the object file contains no kernel");
        lun__loader_close(object);
        return false;
    }
    memcpy(&u->kernel, &kernel, sizeof kernel);
    memcpy(&u->total, &total, sizeof total);
    memcpy(&u->combine, &combine, sizeof combine);
    u->object = object;
    u->state = LUN_UNIT_READY;
    free(u->source);
    u->source = NULL;
    return true;
}

void lun__unit_result_fail(lun_unit *u, const char *who, const char *what, const char *words)
{
    u->state = LUN_UNIT_FAILED;
    lun__strbuf_clear(&u->message);
    lun__strbuf_printf(&u->message, "%s: %s", who, what);
    if (words && *words) {
        lun__strbuf_puts(&u->message, "\n");
        quote(&u->message, words, QUOTE);
    }
}

void lun__unit_result_free(lun_unit *u)
{
    free(u->source);
    lun__strbuf_free(&u->message);
    lun__loader_close(u->object);
    u->object = NULL;
}
