/* library.c - see library.h.
 *
 * Invariant: `tries` is the process's, as the loader's own list of libraries is; it is touched
 * under the loading lock alone.  A row's path and version are set once and stay. */
#define _GNU_SOURCE
#include "base/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/loading_lock.h"

static const lun_library_row rows[] = {
#define LUN_LIBRARY(id, name, title, files, variable, oldest, form, alone, signature, use, \
                    install)                                                               \
    {name, title, files, variable, oldest, LUN_LIBRARY_##form, alone, signature, use, install},
#include "base/library.def"
#undef LUN_LIBRARY
};

/* What the last try of a row has come to. */
typedef struct outcome {
    void *handle;
    char *path, version[32];
    char *asked, *why; /* of a failure: the variable's value then, or NULL; the reason */
} outcome;

static outcome tries[LUN_LIBRARY_COUNT];

const lun_library_row *lun__library_row(lun_library_id id)
{
    return &rows[id];
}

void *lun__library_symbol(void *handle, const char *name)
{
    return dlsym(handle, name);
}

/* ---- one file -------------------------------------------------------------------------------- */

/* What is wrong with the last dlopen; "not found" where there is no such file. */
static const char *fault(void)
{
    const char *text = dlerror();
    if (!text)
        return "no reason given";
    return strstr(text, "cannot open shared object file: No such file") ? "not found" : text;
}

bool lun__library_open_file(const char *file, void **handle, lun_strbuf *why)
{
    lun__loading_lock_begin();
    *handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    if (!*handle)
        lun__strbuf_printf(why, "%.500s", fault());
    lun__loading_lock_end();
    return *handle != NULL;
}

/* The path of an open library, or the name that it was opened by. */
static const char *path_of(void *handle, const char *file)
{
    struct link_map *map;
    return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name && *map->l_name ? map->l_name
                                                                                     : file;
}

/* The next word of a list with that between its words, copied; NULL at the end. */
static const char *next_word(const char **list, char between, char word[PATH_MAX])
{
    const char *at = *list;
    while (*at == between)
        at++;
    const char *end = strchrnul(at, between);
    *list = end;
    const int length = (int)(end - at);
    if (!length || length >= PATH_MAX)
        return NULL;
    snprintf(word, PATH_MAX, "%.*s", length, at);
    return word;
}

/* Writes the version that it says it has. */
static void ask_version(const lun_library_row *row, void *function, char version[32])
{
    unsigned part[3] = {0, 0, 0};
    *version = '\0';
    if (row->form == LUN_LIBRARY_TEXT) {
        const char *(*text)(void);
        memcpy(&text, &function, sizeof text);
        const char *said = text();
        snprintf(version, 32, "%.31s", said && *said == 'v' ? said + 1 : said ? said : "?");
    } else if (row->form == LUN_LIBRARY_PARTS) {
        int (*parts)(unsigned *, unsigned *, unsigned *);
        memcpy(&parts, &function, sizeof parts);
        (void)parts(&part[0], &part[1], &part[2]);
        snprintf(version, 32, "%u.%u.%u", part[0], part[1], part[2]);
    }
}

static bool is_older(const char *version, const char *oldest)
{
    unsigned have[2] = {0, 0}, need[2] = {0, 0};
    if (sscanf(version, "%u.%u", &have[0], &have[1]) < 1)
        return false; /* a build of its own, without a number */
    (void)sscanf(oldest, "%u.%u", &need[0], &need[1]);
    return have[0] < need[0] || (have[0] == need[0] && have[1] < need[1]);
}

static void call_first(void *function)
{
    int (*call)(void);
    memcpy(&call, &function, sizeof call);
    if (function)
        (void)call();
}

/* Whether an open library is that of the row, and not too old; its version. */
static bool examine(const lun_library_row *row, void *handle, const char *file, bool fresh,
                    char version[32], lun_strbuf *why)
{
    char word[PATH_MAX];
    void *first = NULL;
    for (const char *list = row->signature; next_word(&list, ' ', word);) {
        void *function = dlsym(handle, word);
        if (!function) {
            lun__strbuf_printf(why, "%s is no %s library: it has no %s", path_of(handle, file),
                               row->title, word);
            return false;
        }
        first = first ? first : function;
    }
    if (row->alone && fresh)
        call_first(dlsym(handle, row->alone));
    ask_version(row, first, version);
    if (!row->oldest || !is_older(version, row->oldest))
        return true;
    lun__strbuf_printf(why, "%s %s is too old: %s or newer is needed (%s)", row->title, version,
                       row->oldest, path_of(handle, file));
    return false;
}

/* Opens one file, fresh: which is not in this process yet; a reason is appended unless there is no
 * such file. */
static bool try_file(const lun_library_row *row, const char *file, bool global, bool fresh,
                     outcome *o, lun_strbuf *why)
{
    void *handle = dlopen(file, RTLD_LAZY | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!handle) {
        const char *text = fault();
        if (strcmp(text, "not found") == 0 && strchr(file, '/') && access(file, F_OK) == 0)
            text = "it is no library for this processor";
        if (strcmp(text, "not found") != 0 && !why->length)
            lun__strbuf_printf(why, "%s cannot be loaded: %.500s", file, text);
        return false;
    }
    lun_strbuf reason = LUN_STRBUF_INIT;
    if (examine(row, handle, file, fresh, o->version, &reason)) {
        o->path = strdup(path_of(handle, file));
        o->handle = handle;
    } else {
        dlclose(handle);
        if (!why->length)
            lun__strbuf_puts(why, lun__strbuf_text(&reason));
    }
    lun__strbuf_free(&reason);
    return o->handle != NULL;
}

/* ---- where to look --------------------------------------------------------------------------- */

/* The folder of this program, or of the shared library that this is a part of; false: unknown. */
static bool own_folder(char folder[PATH_MAX])
{
    Dl_info own, program;
    char file[PATH_MAX];
    const void *here = &rows, *headers = (const void *)getauxval(AT_PHDR); // NOLINT
    if (!dladdr(here, &own))
        return false;
    if (dladdr(headers, &program) && program.dli_fbase == own.dli_fbase) {
        const ssize_t n = readlink("/proc/self/exe", file, sizeof file - 1);
        if (n < 0)
            return false;
        file[n] = '\0';
        snprintf(folder, PATH_MAX, "%s", file);
    } else if (!realpath(own.dli_fname, folder)) {
        return false;
    }
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* What the variable names: a file, with others to open before it. */
static bool try_named(const lun_library_row *row, const char *asked, bool global, outcome *o,
                      lun_strbuf *why)
{
    char word[PATH_MAX], last[PATH_MAX] = "";
    for (const char *list = asked; next_word(&list, ':', word);) {
        if (*last && !dlopen(last, RTLD_LAZY | RTLD_GLOBAL)) {
            lun__strbuf_printf(why, "%s names %s: %.500s", row->variable, last, fault());
            return false;
        }
        memcpy(last, word, sizeof last);
    }
    if (!try_file(row, last, global, true, o, why) && !why->length)
        lun__strbuf_printf(why, "%s names %s: not found", row->variable, last);
    return o->handle != NULL;
}

/* The one that is part of this process: its names are for all to see, or it is one of the files. */
static bool try_loaded(const lun_library_row *row, outcome *o, lun_strbuf *why)
{
    char word[PATH_MAX];
    const char *list = row->signature;
    Dl_info where;
    void *function = next_word(&list, ' ', word) ? dlsym(RTLD_DEFAULT, word) : NULL;
    if (function && dladdr(function, &where) && where.dli_fname)
        return try_file(row, where.dli_fname, false, false, o, why);
    for (list = row->files; next_word(&list, ' ', word);) {
        void *handle = dlopen(word, RTLD_LAZY | RTLD_NOLOAD);
        if (handle)
            dlclose(handle); /* the reference just taken */
        if (handle && try_file(row, word, false, false, o, why))
            return true;
    }
    return false;
}

static bool search(const lun_library_row *row, bool global, outcome *o, lun_strbuf *why)
{
    static const char *const beside[] = {"", "/../lib/lunarray"};
    char folder[PATH_MAX], name[PATH_MAX], file[2 * PATH_MAX + 32];
    const bool known = own_folder(folder);
    for (int k = 0; k < 2 && known; k++)
        for (const char *list = row->files; next_word(&list, ' ', name);) {
            snprintf(file, sizeof file, "%s%s/%s", folder, beside[k], name);
            if (access(file, F_OK) == 0 && try_file(row, file, global, true, o, why))
                return true;
        }
    for (const char *list = row->files; next_word(&list, ' ', name);)
        if (try_file(row, name, global, true, o, why))
            return true;
    return false;
}

/* The first lines of a failure. */
static void tell(const lun_library_row *row, const char *reason, lun_strbuf *why)
{
    char name[PATH_MAX] = "";
    const char *list = row->files;
    (void)next_word(&list, ' ', name);
    if (*reason)
        lun__strbuf_puts(why, reason);
    else
        lun__strbuf_printf(why,
                           "%s's library is needed for %s: %s was not found (%s%sbeside the "
                           "program, the system's libraries).",
                           row->title, row->use, name, row->variable ? row->variable : "",
                           row->variable ? ", " : "");
}

/* Keeps why a row could not be opened; without memory nothing is kept, and the next call tries
 * again. */
static void keep_failure(outcome *o, const char *asked, const char *why)
{
    free(o->asked);
    free(o->why);
    o->asked = asked ? strdup(asked) : NULL;
    o->why = strdup(why);
}

static bool is_repeated(const outcome *o, const char *asked)
{
    return o->why && (asked ? o->asked && strcmp(o->asked, asked) == 0 : !o->asked);
}

bool lun__library_open(lun_library_id id, bool global, lun_library *out, lun_strbuf *why)
{
    const lun_library_row *row = &rows[id];
    outcome *o = &tries[id];
    const char *asked = row->variable ? getenv(row->variable) : NULL;
    lun_strbuf reason = LUN_STRBUF_INIT, text = LUN_STRBUF_INIT;
    asked = asked && *asked ? asked : NULL;
    lun__loading_lock_begin();
    if (!o->handle && !is_repeated(o, asked)) {
        if (!(row->alone && try_loaded(row, o, &reason)) &&
            (asked ? !try_named(row, asked, global, o, &reason)
                   : !search(row, global, o, &reason))) {
            tell(row, lun__strbuf_text(&reason), &text);
            keep_failure(o, asked, lun__strbuf_text(&text));
        }
    }
    if (o->handle)
        *out = (lun_library){o->handle, o->path ? o->path : "?", o->version};
    else
        lun__strbuf_puts(why, o->why ? o->why : "out of memory");
    lun__loading_lock_end();
    lun__strbuf_free(&reason);
    lun__strbuf_free(&text);
    return o->handle != NULL;
}

bool lun__library_is_loaded(lun_library_id id)
{
    char name[PATH_MAX];
    bool found = false;
    lun__loading_lock_begin();
    for (const char *list = rows[id].files; !found && next_word(&list, ' ', name);) {
        void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
        if (handle)
            dlclose(handle); /* the reference just taken */
        found = handle != NULL;
    }
    lun__loading_lock_end();
    return found;
}
