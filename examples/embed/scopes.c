/* A server in C: each request runs its user's script in a scope of its own, with the bytes of the
 * request as a picture and a function of the server's, and answers with a picture. No file is used.
 *
 *     cc scopes.c $(pkg-config --cflags --libs lunarray) -o scopes && ./scopes
 *
 * prints:
 *     anna: darkest pixel 16
 *     anna: 13 bytes, pixels 239 191
 *     bob: bob:1: time limit reached: 0.2 seconds
 *     carl: carl:1: server.note: a text and an integer are needed
 *     anna: darkest pixel 16
 *     anna: 13 bytes, pixels 239 191
 */
#include <stdio.h>
#include <string.h>

#include <lunarray.h>

typedef struct request {
    const char *user, *script; /* user: as Lua names a chunk */
} request;

/* server.note(x), as scripts call it; ctx: the request. */
static lun_status note(void *ctx, lun_engine *e, const lun_variant *args, int count,
                       lun_variant *results, int *given)
{
    const request *r = ctx;
    (void)results;
    if (count != 2 || args[0].type != LUN_TYPE_TEXT || args[1].type != LUN_TYPE_INTEGER)
        return lun_fail(e, LUN_EARG, "a text and an integer are needed");
    printf("%s: %s %d\n", r->user + 1, args[0].as.text, (int)args[1].as.integer);
    *given = 0;
    return LUN_OK;
}

/* The bytes of an answer; the request's picture is the global `picture`. */
static lun_status answer(lun_engine *e, const request *r, const void *bytes, size_t n, void **out,
                         size_t *size)
{
    lun_globals *scope = NULL;
    lun_variant picture = {.type = LUN_TYPE_NIL}, result = {.type = LUN_TYPE_NIL};
    lun_status s = lun_scope_new(e, &scope);
    if (s == LUN_OK)
        s = lun_decode(e, bytes, n, "pgm", NULL, &picture);
    if (s == LUN_OK)
        s = lun_scope_set(scope, "picture", &picture);
    if (s == LUN_OK)
        s = lun_scope_register(scope, "server.note", note, (void *)r, NULL);
    if (s == LUN_OK)
        s = lun_scope_run(scope, r->script, strlen(r->script), r->user);
    if (s == LUN_OK)
        s = lun_scope_get(scope, "picture", &result);
    if (s == LUN_OK)
        s = lun_encode(e, &result, "pgm", NULL, out, size);
    if (result.type == LUN_TYPE_ARRAY)
        lun_release(result.as.array);
    if (picture.type == LUN_TYPE_ARRAY)
        lun_release(picture.as.array);
    lun_scope_free(scope);
    return s;
}

int main(void)
{
    static const char invert[] =
        "server.note('darkest pixel', picture:min()) picture = 255 - picture string.format = nil";
    static const request requests[] = {{"=anna", invert},
                                       {"=bob", "while true do end"},
                                       {"=carl", "server.note(1)"},
                                       {"=anna", invert}};
    const lun_config config = {.size = sizeof config, .sandbox = 1, .time_limit = 0.2};
    lun_engine *e = NULL;
    if (lun_open(&config, &e) != LUN_OK)
        return 1;
    for (int k = 0; k < 4; k++) {
        const char *user = requests[k].user + 1;
        unsigned char *out = NULL;
        size_t n = 0;
        if (answer(e, &requests[k], "P5 2 1 255\n\x10\x40", 13, (void **)&out, &n) == LUN_OK)
            printf("%s: %d bytes, pixels %d %d\n", user, (int)n, out[n - 2], out[n - 1]);
        else
            printf("%s: %.*s\n", user, (int)strcspn(lun_error(e), "\n"), lun_error(e));
        lun_bytes_free(e, out);
    }
    lun_close(e);
    return 0;
}
