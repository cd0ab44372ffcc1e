/* word_mention.h - which words users' C texts contain. */
#ifndef LUN_WORD_MENTION_H
#define LUN_WORD_MENTION_H

#include "render/renderer.h"

bool lun__word_mention(const lun_renderer *r, const char *word);

#endif
