/* write_function.c - a C text whose head is read as a function of kernels: what is to be written
 * around its tokens, its parameters, its text. */
#include "ctext/write_function.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctext/rewrite.h"
#include "ctext/stop_checks.h"
#include "ctext/teamtext.h"
#include "ctext/text_function.h"

/* Each array whose indices are checked takes a parameter for its length, each element around an
 * index one for itself. */
static lun_status check_params(const lun_cmaker *m)
{
    int count = m->neighbours.count + m->scratches.count + (m->division ? LUN_FRONT_NUMBERS : 0);
    count += m->axes ? 1 + 2 * m->axes : 0;
    for (int k = m->axes; k < m->head.count; k++)
        count += !m->neighbours.replaced[k] + m->checks.indexed[k];
    if (count <= LUN_IR_INPUTS)
        return LUN_OK;
    return lun__csource_error(
        &m->source, m->units.at[m->entry].open, m->error,
        "too many parameters: more than 64, including the lengths that LUN_AT needs and "
        "each element that get(x, ...) reads");
}

/* ---- the function ---------------------------------------------------------------------------- */

/* The parameters of f: elements around an index, those of the text, lengths. */
static void give_params(lun_cmaker *m, lun_ir_function *f)
{
    int place[LUN_MAX_PARAMS];
    f->operands = m->head.count - m->axes;
    f->neighbours = m->neighbours.count;
    for (int k = 0; m->division && k < LUN_FRONT_NUMBERS; k++)
        f->param[f->params++].dtype = LUN_I64;
    for (int k = 0; k < m->neighbours.count; k++)
        f->param[f->params++].dtype = (uint8_t)m->neighbours.at[k].dtype;
    for (int k = 0; m->axes && k < 1 + 2 * m->axes; k++)
        f->param[f->params++].dtype = LUN_I64;
    for (int k = m->axes; k < m->head.count; k++) {
        const bool writes = m->division || m->in_place;
        place[k] = f->params;
        if (m->neighbours.replaced[k])
            continue;
        f->param[f->params].dtype = (uint8_t)m->head.param[k].dtype;
        f->param[f->params].pointer = m->head.param[k].array;
        f->param[f->params].written =
            writes && m->head.param[k].array && !m->head.param[k].constant;
        f->param[f->params].atom = m->head.param[k].atom;
        f->param[f->params++].of = k - m->axes;
    }
    for (int k = 0; k < m->scratches.count; k++) {
        f->param[f->params].dtype = (uint8_t)m->scratches.at[k].dtype;
        f->param[f->params++].pointer = true;
    }
    for (int k = 0; k < m->head.count; k++) {
        if (!m->checks.indexed[k])
            continue;
        f->param[f->params].dtype = LUN_I64;
        f->param[f->params++].of = k - m->axes;
        f->lengths++;
    }
    for (int k = 0; k < m->checks.count; k++)
        if (m->checks.faults[k].param >= 0)
            m->checks.faults[k].param = place[m->checks.faults[k].param];
}

static lun_status give(lun_cmaker *m, lun_ir_function **out)
{
    char entry[40];
    lun_ir_function *f = calloc(1, sizeof *f);
    snprintf(entry, sizeof entry, "lun_user_%016" PRIx64, m->hash);
    if (f)
        f->name = strdup(entry);
    if (!f || !f->name) {
        free(f);
        return LUN_ENOMEM;
    }
    f->text = m->text.text;
    m->text = (lun_strbuf)LUN_STRBUF_INIT;
    f->outputs = m->head.nothing < 0;
    give_params(m, f);
    f->neighbour = m->neighbours.at;
    m->neighbours.at = NULL;
    f->faults = m->checks.faults;
    f->fault_count = m->checks.count;
    m->checks.faults = NULL;
    m->checks.count = 0;
    f->asks = m->asks;
    f->meets = m->meets;
    f->result = (uint8_t)lun__cmaker_result(m);
    *out = f;
    return LUN_OK;
}

lun_status lun__cmaker_write(lun_cmaker *m, lun_ir_function **out)
{
    lun_status status = LUN_OK;
    m->edits.tokens = m->source.tokens.count;
    lun__cmaker_identify(m);
    if (m->division)
        status = lun__cteam_find(m);
    else if (m->in_place)
        status = lun__cinplace_find(m);
    else
        status = lun__cneighbours_find(&m->neighbours, &m->edits, &m->source, &m->units, &m->names,
                                       m->entry, m->error);
    if (status == LUN_OK)
        status = lun__cchecks_find(&m->checks, &m->edits, &m->source, &m->units, m->entry, m->plain,
                                   m->error);
    if (status == LUN_OK)
        status = lun__cloops_find(&m->asks, &m->edits, &m->source, &m->units, &m->names, m->entry,
                                  m->checks.count > 0);
    if (status == LUN_OK)
        status = check_params(m);
    if (status == LUN_OK)
        status = lun__crewrite(m);
    if (status == LUN_OK)
        status = give(m, out);
    lun__strbuf_free(&m->text);
    lun__cchecks_free(&m->checks);
    free(m->neighbours.at);
    lun__cedits_free(&m->edits);
    return status;
}

void lun__cfunc_free(lun_ir_function *f)
{
    if (!f)
        return;
    for (int k = 0; k < f->fault_count; k++)
        free(f->faults[k].text);
    free(f->faults);
    free(f->neighbour);
    free(f->text);
    free(f->name);
    free(f);
}
