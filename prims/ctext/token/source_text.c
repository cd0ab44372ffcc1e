/* source_text.c - the text of a user's C function: read, its includes expanded, every line's place
 * kept. Conditionals are not evaluated: an include inside #if is expanded too. */
#include "ctext/token/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- positions ------------------------------------------------------------------------------- */

static const lun_csource_mark *mark_at(const lun_csource *s, size_t offset)
{
    int low = 0, high = s->mark_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (s->marks[middle].offset <= offset)
            low = middle;
        else
            high = middle - 1;
    }
    return &s->marks[low];
}

static int newlines(const char *from, const char *to)
{
    int n = 0;
    while (from < to && (from = memchr(from, '\n', (size_t)(to - from)))) {
        n++;
        from++;
    }
    return n;
}

int lun__csource_line(const lun_csource *s, size_t offset)
{
    const lun_csource_mark *m = mark_at(s, offset);
    const char *text = lun__strbuf_text(&s->text);
    return offset > m->offset ? m->line + newlines(text + m->offset, text + offset) : m->line;
}

lun_status lun__csource_error(const lun_csource *s, int token, lun_strbuf *error,
                              const char *format, ...)
{
    size_t at = s->tokens.at[token].start;
    lun__strbuf_printf(error, "%s, line %d: ", s->files[mark_at(s, at)->name].name,
                       lun__csource_line(s, at));
    va_list args;
    va_start(args, format);
    lun__strbuf_vprintf(error, format, args);
    va_end(args);
    return LUN_EARG;
}

/* A name inside the quotes of #line: nothing in it can end them.  '?' because of trigraphs. */
static void add_quoted(lun_strbuf *out, const char *name)
{
    for (const char *p = name; *p; p++) {
        unsigned char ch = (unsigned char)*p;
        if (ch < ' ' || ch == 127)
            lun__strbuf_printf(out, "\\%03o", (unsigned)ch);
        else if (ch == '"' || ch == '\\' || ch == '?')
            lun__strbuf_printf(out, "\\%c", ch);
        else
            lun__strbuf_add(out, p, 1);
    }
}

/* What is appended next stands in `file` from `line` on. */
static lun_status add_mark(lun_csource *s, int file, int line)
{
    if (s->mark_count == s->mark_room) {
        int room = s->mark_room ? s->mark_room * 2 : 16;
        lun_csource_mark *marks = realloc(s->marks, (size_t)room * sizeof *marks);
        if (!marks)
            return LUN_ENOMEM;
        s->marks = marks;
        s->mark_room = room;
    }
    lun__strbuf_printf(&s->text, "#line %d \"", line);
    add_quoted(&s->text, s->files[file].name);
    lun__strbuf_puts(&s->text, "\"\n");
    s->marks[s->mark_count++] = (lun_csource_mark){s->text.length, file, line};
    return s->text.failed ? LUN_ENOMEM : LUN_OK;
}

/* Takes name over.  Returns the file's number or -1 without memory. */
static int add_file(lun_csource *s, char *name, const struct stat *st)
{
    if (s->file_count == s->file_room) {
        int room = s->file_room ? s->file_room * 2 : 4;
        lun_csource_file *files = realloc(s->files, (size_t)room * sizeof *files);
        if (!files) {
            free(name);
            return -1;
        }
        s->files = files;
        s->file_room = room;
    }
    s->files[s->file_count] =
        (lun_csource_file){name, st ? (uint64_t)st->st_dev : 0, st ? (uint64_t)st->st_ino : 0};
    return s->file_count++;
}

static int find_file(const lun_csource *s, const struct stat *st)
{
    for (int i = 0; i < s->file_count; i++)
        if (s->files[i].device == (uint64_t)st->st_dev && s->files[i].inode == (uint64_t)st->st_ino)
            return i;
    return -1;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A text that is being expanded. */
typedef struct frame {
    const char *text; /* as it stands in the file */
    size_t length;
    int file, depth;
    lun_ctokens tokens;
} frame;

/* Says where in a text that is being expanded. */
static void where(const lun_csource *s, const frame *f, size_t offset, lun_strbuf *error)
{
    lun__strbuf_printf(error, "%s, line %d: ", s->files[f->file].name,
                       1 + newlines(f->text, f->text + offset));
}

static lun_status too_large(lun_strbuf *error, const char *what)
{
    lun__strbuf_printf(
        error, "%s is larger than 1 MB, the limit for a C function with its includes", what);
    return LUN_EARG;
}

static lun_status unreadable(lun_strbuf *error, const char *path, int code)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason))
        reason[0] = '\0';
    lun__strbuf_printf(error, "cannot read \"%s\": %s", path, reason);
    return LUN_EIO;
}

/* Reads an open file to its end, or until it is larger than the limit. */
static lun_status read_all(int fd, const char *path, lun_strbuf *out, lun_strbuf *error)
{
    char block[16384];
    while (out->length <= LUN_CSOURCE_BYTES) {
        ssize_t n = read(fd, block, sizeof block);
        if (n == 0)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return unreadable(error, path, errno);
        lun__strbuf_add(out, block, (size_t)n);
        if (out->failed)
            return LUN_ENOMEM;
    }
    return LUN_OK;
}

/* Reads the file unless it was read before, which *again says. */
static lun_status read_file(const lun_csource *s, const char *path, lun_strbuf *out,
                            struct stat *st, bool *again, lun_strbuf *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return unreadable(error, path, errno);
    lun_status status = LUN_OK;
    if (fstat(fd, st)) {
        status = unreadable(error, path, errno);
    } else if (!S_ISREG(st->st_mode)) {
        lun__strbuf_printf(error, "cannot read \"%s\": it is %s", path,
                           S_ISDIR(st->st_mode) ? "a directory" : "not a regular file");
        status = LUN_EIO;
    } else {
        *again = find_file(s, st) >= 0;
        if (!*again)
            status = read_all(fd, path, out, error);
    }
    close(fd);
    return status;
}

/* ---- expanding ------------------------------------------------------------------------------- */

static lun_status expand(lun_csource *s, frame *f, lun_strbuf *error);

/* The included file's path: relative to the directory of the file that f is. */
static char *resolve(const lun_csource *s, const frame *f, const char *name, size_t length)
{
    const char *from = s->files[f->file].name, *slash = strrchr(from, '/');
    size_t directory = name[0] == '/' || !slash ? 0 : (size_t)(slash - from) + 1;
    char *path = malloc(directory + length + 1);
    if (!path)
        return NULL;
    memcpy(path, from, directory);
    memcpy(path + directory, name, length);
    path[directory + length] = '\0';
    return path;
}

static bool holds_nul(const lun_strbuf *text)
{
    return text->length && memchr(text->text, '\0', text->length);
}

/* Expands the file at path, which is taken over; from NULL: it is the function's own. */
static lun_status expand_file(lun_csource *s, const frame *from, size_t at, char *path,
                              lun_strbuf *error)
{
    lun_strbuf text = LUN_STRBUF_INIT, why = LUN_STRBUF_INIT;
    struct stat st;
    frame f = {.depth = from ? from->depth + 1 : 0};
    bool again = false;
    lun_status status = read_file(s, path, &text, &st, &again, &why);
    if (status == LUN_OK && !again && holds_nul(&text)) {
        lun__strbuf_printf(&why, "\"%s\" is not C text: it contains a NUL byte", path);
        status = LUN_EARG;
    } else if (status == LUN_OK && !again) {
        bool bom = text.length >= 3 && !memcmp(text.text, "\xef\xbb\xbf", 3);
        f.text = lun__strbuf_text(&text) + (bom ? 3 : 0);
        f.length = text.length - (bom ? 3 : 0);
        f.file = add_file(s, path, &st);
        path = NULL;
        status = f.file < 0 ? LUN_ENOMEM : expand(s, &f, error);
    }
    if (why.length && from)
        where(s, from, at, error);
    lun__strbuf_puts(error, lun__strbuf_text(&why));
    if (why.failed)
        status = LUN_ENOMEM;
    free(path);
    lun__strbuf_free(&text);
    lun__strbuf_free(&why);
    return status;
}

static lun_status refuse(const lun_csource *s, const frame *f, size_t at, const char *what,
                         lun_strbuf *error)
{
    where(s, f, at, error);
    lun__strbuf_puts(error, what);
    return LUN_EARG;
}

/* The line `#include <...>` is left out if kernels have all that the header declares. */
static bool known_header(const char *after, size_t left)
{
    static const char *const headers[] = {"<math.h>", "<stdint.h>", "<stdbool.h>"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (strlen(headers[i]) <= left && !memcmp(after, headers[i], strlen(headers[i])))
            return true;
    return false;
}

/* Token i is the word `include` of a preprocessor line. */
static lun_status include(lun_csource *s, frame *f, int i, lun_strbuf *error)
{
    const lun_ctoken *what = &f->tokens.at[i + 1];
    size_t at = f->tokens.at[i].start;
    if (what->kind == LUN_CTOKEN_PUNCT && what->ch == '<') {
        if (known_header(f->text + what->start, f->length - what->start))
            return LUN_OK;
        return refuse(s, f, at,
                      "only the system headers math.h, stdint.h and stdbool.h may be included (and "
                      "need not be): kernels have no others",
                      error);
    }
    if (what->kind != LUN_CTOKEN_LITERAL || what->ch != '"' || what->length < 3 ||
        f->text[what->start + what->length - 1] != '"')
        return refuse(s, f, at, "#include needs a file name in double quotes", error);
    if (s->string)
        return refuse(s, f, at,
                      "a C string cannot include a file: put the function into a file and pass its "
                      "path, which must start with / or .",
                      error);
    if (f->depth + 1 >= LUN_CSOURCE_DEPTH)
        return refuse(s, f, at, "includes are nested more than 32 levels deep", error);
    char *path = resolve(s, f, f->text + what->start + 1, what->length - 2);
    return path ? expand_file(s, f, at, path, error) : LUN_ENOMEM;
}

/* A preprocessor line that opens at token i: *drop says whether its text is left out. */
static lun_status expand_line(lun_csource *s, frame *f, int i, bool *drop, lun_strbuf *error)
{
    const lun_ctokens *t = &f->tokens;
    *drop = false;
    if (lun__ctoken_word(t, i + 1, "include_next") || lun__ctoken_word(t, i + 1, "import"))
        return refuse(s, f, t->at[i].start, "only #include \"file\" is supported", error);
    if (lun__ctoken_word(t, i + 1, "pragma") && lun__ctoken_word(t, i + 2, "once")) {
        *drop = true;
    } else if (lun__ctoken_word(t, i + 1, "include")) {
        *drop = true;
        return include(s, f, i + 1, error);
    }
    return LUN_OK;
}

/* Appends f's text with what it includes. */
static lun_status expand_tokens(lun_csource *s, frame *f, lun_strbuf *error)
{
    lun_status status = add_mark(s, f->file, 1);
    size_t done = 0;
    for (int i = 0; status == LUN_OK && i < f->tokens.count; i++) {
        if (f->tokens.at[i].kind != LUN_CTOKEN_DIRECTIVE)
            continue;
        size_t start = f->tokens.at[i].start;
        int past = lun__ctoken_past_line(&f->tokens, i), marks = s->mark_count;
        size_t end = f->tokens.at[past - 1].start; /* of the ENDLINE: the newline stays */
        lun__strbuf_add(&s->text, f->text + done, start - done);
        done = start;
        bool drop;
        status = expand_line(s, f, i, &drop, error);
        if (status != LUN_OK)
            break;
        if (s->mark_count > marks)
            status = add_mark(s, f->file, 1 + newlines(f->text, f->text + end));
        else if (drop)
            for (int n = newlines(f->text + start, f->text + end); n > 0; n--)
                lun__strbuf_puts(&s->text, "\n");
        if (drop)
            done = end;
        i = past - 1;
    }
    if (status != LUN_OK)
        return status;
    lun__strbuf_add(&s->text, f->text + done, f->length - done);
    lun__strbuf_puts(&s->text, "\n");
    return s->text.failed ? LUN_ENOMEM : LUN_OK;
}

static lun_status expand(lun_csource *s, frame *f, lun_strbuf *error)
{
    size_t bad = 0;
    s->bytes += f->length;
    if (s->bytes > LUN_CSOURCE_BYTES)
        return too_large(error, s->files[0].name);
    lun_status status = lun__ctokens_read(&f->tokens, f->text, f->length, &bad);
    if (status == LUN_EARG)
        refuse(s, f, bad, "unterminated comment", error);
    if (status == LUN_OK)
        status = expand_tokens(s, f, error);
    lun__ctokens_free(&f->tokens);
    return status;
}

/* Cuts the whole. */
static lun_status finish(lun_csource *s, lun_strbuf *error)
{
    if (s->text.length > INT32_MAX / 2)
        return too_large(error, s->files[0].name);
    size_t bad;
    return lun__ctokens_read(&s->tokens, lun__strbuf_text(&s->text), s->text.length, &bad);
}

lun_status lun__csource_string(lun_csource *s, const char *text, lun_strbuf *error)
{
    char *name = strdup("C function");
    int file = name ? add_file(s, name, NULL) : -1;
    if (file < 0)
        return LUN_ENOMEM;
    frame f = {.text = text, .length = strlen(text), .file = file};
    s->string = true;
    lun_status status = expand(s, &f, error);
    return status == LUN_OK ? finish(s, error) : status;
}

lun_status lun__csource_path(lun_csource *s, const char *path, lun_strbuf *error)
{
    char *name = strdup(path);
    lun_status status = name ? expand_file(s, NULL, 0, name, error) : LUN_ENOMEM;
    return status == LUN_OK ? finish(s, error) : status;
}

void lun__csource_free(lun_csource *s)
{
    lun__strbuf_free(&s->text);
    lun__ctokens_free(&s->tokens);
    for (int i = 0; i < s->file_count; i++)
        free(s->files[i].name);
    free(s->files);
    free(s->marks);
    *s = (lun_csource){0};
}
