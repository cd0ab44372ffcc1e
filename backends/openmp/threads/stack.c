/* stack.c - what OMP_STACKSIZE means to libgomp; see stack.h. */
#include "openmp/threads/stack.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static const char *blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* The power of two that a letter stands for; -1 for none. */
static int unit(char letter)
{
    switch (tolower((unsigned char)letter)) {
    case 'b':
        return 0;
    case 'k':
        return 10;
    case 'm':
        return 20;
    case 'g':
        return 30;
    default:
        return -1;
    }
}

bool lun__stack_parse(const char *text, size_t *bytes)
{
    char *end;
    int shift = 10;
    if (!text)
        return false;
    int before = errno;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    bool fits = errno == 0 && end != text;
    errno = before;
    const char *rest = blanks(end);
    if (*rest) {
        shift = unit(*rest);
        rest = blanks(rest + 1);
    }
    if (!fits || *rest || shift < 0 || value > ULONG_MAX >> shift)
        return false;
    *bytes = (size_t)value << shift;
    return true;
}

bool lun__stack_bytes(size_t *bytes)
{
    return lun__stack_parse(getenv("OMP_STACKSIZE"), bytes) ||
           lun__stack_parse(getenv("GOMP_STACKSIZE"), bytes);
}
