/* label.c - labels of arrays: names that their owner gives them, for errors, plans and profiles. */
#include <stdlib.h>
#include <string.h>

#include "api/array/array.h"

lun_status lun_set_label(lun_engine *e, lun_array *a, const char *label)
{
    LUN_NEED(e, a);
    const size_t length = label ? strlen(label) : 0;
    char *copy = NULL;
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "a number has no label");
    if (s == LUN_OK && length > LUN_LABEL_MOST)
        s = lun__fail(e, LUN_EARG, "the label has %zu bytes, at most %d are allowed", length,
                      LUN_LABEL_MOST);
    for (size_t i = 0; s == LUN_OK && i < length; i++)
        if ((unsigned char)label[i] < ' ' || label[i] == 127)
            s = lun__fail(e, LUN_EARG, "byte %zu of the label is a control character", i + 1);
    if (s == LUN_OK && length && !(copy = lun__account_object_new(e->account, length + 1)))
        s = lun__fail_nomem(e);
    if (s != LUN_OK)
        return s;
    if (copy)
        memcpy(copy, label, length);
    if (a->label)
        lun__account_object_free(e->account, a->label);
    e->labels += (copy != NULL) - (a->label != NULL);
    a->label = copy;
    return LUN_OK;
}

const char *lun_label(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), NULL);
    return lun__array_label(a);
}
