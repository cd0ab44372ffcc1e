/* word_mention.c - which words users' C texts contain.  A word in a comment counts. */
#include "render/user/word_mention.h"

#include <ctype.h>
#include <string.h>

static bool is_word(int c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p++)
        if (!is_word(p[n]) && (p == text || !is_word(p[-1])))
            return true;
    return false;
}

bool lun__word_mention(const lun_renderer *r, const char *word)
{
    for (int i = 0; i < r->ir->function_count; i++)
        if (r->ir->functions[i]->text && mentions(r->ir->functions[i]->text, word))
            return true;
    return false;
}
