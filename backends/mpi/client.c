/* client.c - requests on their way to a rank that serves, and its answers; see client.h.  Requests
 * are gathered until one has an answer, a kernel is to run or there are many.  Knows no request. */
#include "mpi/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "mpi/counts.h"

enum { MANY = 1 << 20 }; /* bytes */

lun_status lun__mpi_fail(lun_mpi *m, lun_status s, const char *text)
{
    lun__strbuf_clear(m->services->error);
    lun__strbuf_puts(m->services->error, text);
    return s;
}

/* ---- asking ---------------------------------------------------------------------------------- */

void lun__mpi_join_launch(lun_mpi *m)
{
    if (m->launched.length)
        lun__strbuf_add(&m->out, m->launched.text, m->launched.length);
    m->awaited |= m->launched.length > 0;
    m->out.failed |= m->launched.failed;
    lun__strbuf_clear(&m->launched);
}

void lun__mpi_ask(lun_mpi *m, lun_mpi_word word)
{
    lun__mpi_join_launch(m);
    lun__bytes_put_u8(&m->out, word);
}

/* Whether what was submitted, or has begun, writes the buffer. */
static bool writes(const lun_mpi *m, const lun_buffer *b)
{
    bool written = m->product == b || b->padded;
    for (int k = 0; m->algorithm && k < LUN_ALGORITHM_RESULTS; k++)
        written |= m->algorithm->out[k].data == b;
    for (int i = 0; m->launch && i < m->kernel->ir.slot_count; i++) {
        const int role = m->kernel->ir.slots[i].role;
        written |= m->launch->slots[i] == b && role != LUN_SLOT_IN && role != LUN_SLOT_UNIFORM;
    }
    return written;
}

void lun__mpi_ask_early(lun_mpi *m, lun_mpi_word word, const lun_buffer *reads)
{
    if (m->launched.length && reads && writes(m, reads))
        lun__mpi_join_launch(m);
    lun__bytes_put_u8(&m->out, word);
}

/* What was to be sent is, or is lost. */
static void clear_out(lun_mpi *m)
{
    m->asked |= m->out.length > 0;
    lun__strbuf_clear(&m->out);
    m->awaited = m->brings = false;
}

/* Sends requests of one rank. */
static lun_status send_out(lun_mpi *m)
{
    const lun_link *link = m->services->link;
    lun_status s = LUN_OK;
    if (m->out.failed)
        s = m->unsent = lun__mpi_fail(m, LUN_ENOMEM, "out of memory");
    else if (m->out.length && link) /* NULL: the ranks have ended, with all that they hold */
        s = link->send(link->ctx, m->rank, m->out.text, (int64_t)m->out.length);
    clear_out(m);
    return s;
}

bool lun__mpi_sets_out(const lun_mpi *m)
{
    return m->rank > 0 && (m->awaited || m->launched.length);
}

/* Sends requests of all that wait: down a tree, but those that bring elements. */
static lun_status send_all(lun_mpi *m, lun_link_part *parts, int room)
{
    const lun_link *link = m->services->link;
    lun_status first = LUN_OK, s = LUN_OK;
    lun_mpi *x = m;
    int count = 0;
    do {
        if (lun__mpi_sets_out(x)) {
            lun__mpi_join_launch(x);
            if (count < room && !x->brings && !x->out.failed)
                parts[count++] = (lun_link_part){x->rank, x->out.text, (int64_t)x->out.length};
            else if ((s = send_out(x)) != LUN_OK)
                first = s;
        }
        x = x->next;
    } while (x != m);
    if (count && (s = link->spread(link->ctx, parts, count)) != LUN_OK)
        first = s;
    for (int k = 0; k < count; x = x->next)
        if (x->out.text == parts[k].bytes) {
            clear_out(x);
            k++;
        }
    return first;
}

lun_status lun__mpi_send(lun_mpi *m)
{
    int waiting = 0;
    const lun_mpi *x = m;
    lun_link_part *parts = NULL; /* without memory all are told by rank 0 itself */
    if (m->rank <= 0)
        return lun__mpi_fail(m, LUN_EBACKEND, "only single ranks but the first are devices: mpi:2");
    m->awaited |= m->out.length > 0 || m->out.failed;
    do {
        waiting += lun__mpi_sets_out(x);
        x = x->next;
    } while (x != m);
    if (waiting > 1 && m->services->link)
        parts = calloc((size_t)waiting, sizeof *parts);
    lun_status s = send_all(m, parts, parts ? waiting : 0);
    free(parts);
    return s;
}

lun_status lun__mpi_asked(lun_mpi *m)
{
    return m->out.failed || m->out.length > MANY ? send_out(m) : LUN_OK;
}

/* ---- answers --------------------------------------------------------------------------------- */

lun_status lun__mpi_strange(lun_mpi *m, lun_mpi_answer *a)
{
    free(a->bytes);
    a->bytes = NULL;
    lun__strbuf_clear(m->services->error);
    lun__strbuf_printf(m->services->error, "rank %d gives an answer that makes no sense", m->rank);
    return LUN_EBACKEND;
}

/* Whether a failure is told as on one machine. */
static bool is_own(lun_status s)
{
    return s == LUN_EZERO || s == LUN_EBOUNDS || s == LUN_EBUILD || s == LUN_ECANCEL ||
           s == LUN_EIO;
}

static lun_status receive(lun_mpi *m, void **bytes, int64_t *count)
{
    const lun_link *link = m->services->link;
    lun_status s = link->receive(link->ctx, m->rank, bytes, count);
    m->asked &= s != LUN_OK;
    if (s == LUN_OK) {
        m->unheard = 0;
        m->unheard_work = 0;
    }
    return s;
}

/* What an answer says, whose bytes are taken. */
static lun_status read_answer(lun_mpi *m, void *bytes, int64_t count, lun_mpi_answer *out)
{
    int64_t length = 0;
    *out = (lun_mpi_answer){.bytes = bytes, .rest = {bytes, count, bytes == NULL}};
    lun_status s = (lun_status)lun__bytes_take_within(&out->rest, LUN_OK, LUN_EBOUNDS);
    out->trap = lun__bytes_take_i32(&out->rest);
    out->trap_value = lun__bytes_take_i64(&out->rest);
    const char *text = lun__bytes_take_bytes(&out->rest, &length);
    lun__mpi_take_counts(&out->rest, m->services->stats);
    if (out->rest.bad)
        return lun__mpi_strange(m, out);
    if (s == LUN_OK)
        return s;
    lun__strbuf_clear(m->services->error);
    if (!is_own(s))
        lun__strbuf_printf(m->services->error, "rank %d: ", m->rank);
    lun__strbuf_add(m->services->error, text, (size_t)length);
    free(out->bytes);
    out->bytes = NULL;
    return s;
}

/* behind: a launch whose answer comes first. */
static lun_status hear(lun_mpi *m, bool behind, lun_mpi_answer *out)
{
    void *bytes = NULL;
    int64_t count = 0;
    lun_status s = LUN_OK;
    lun__mpi_take_fetched(m);
    if (behind && !m->kept)
        s = receive(m, &m->kept, &m->kept_count);
    if (s == LUN_OK)
        s = receive(m, &bytes, &count);
    return s == LUN_OK ? read_answer(m, bytes, count, out) : s;
}

lun_status lun__mpi_hear(lun_mpi *m, lun_mpi_answer *out)
{
    const bool behind = m->under_way && !m->launched.length;
    *out = (lun_mpi_answer){.trap = -1};
    const lun_status s = lun__mpi_send(m);
    return s == LUN_OK ? hear(m, behind, out) : s;
}

lun_status lun__mpi_hear_asked(lun_mpi *m, lun_mpi_answer *out)
{
    *out = (lun_mpi_answer){.trap = -1};
    if (m->unsent == LUN_OK)
        return hear(m, m->under_way, out);
    if (!m->under_way)
        m->unsent = LUN_OK;
    return lun__mpi_fail(m, LUN_ENOMEM, "out of memory");
}

void lun__mpi_take_fetched(lun_mpi *m)
{
    for (int i = 0; i < m->fetch_count; i++) {
        const lun_mpi_fetch *x = &m->fetches[i];
        void *bytes = NULL;
        int64_t count = 0, length = 0;
        lun_mpi_answer a = {.trap = -1};
        const lun_status came = receive(m, &bytes, &count);
        lun_status s = came == LUN_OK ? read_answer(m, bytes, count, &a) : came;
        const void *elements = s == LUN_OK ? lun__bytes_take_bytes(&a.rest, &length) : NULL;
        if (s == LUN_OK && (!elements || length != x->bytes))
            s = lun__mpi_strange(m, &a);
        if (s == LUN_OK && length)
            memcpy(x->host, elements, (size_t)length);
        if (s == LUN_OK)
            free(a.bytes);
        m->fetch_failed = m->fetch_failed == LUN_OK ? s : m->fetch_failed;
        if (came != LUN_OK)
            break;
    }
    m->fetch_count = 0;
}

lun_status lun__mpi_count(lun_mpi *m)
{
    lun_mpi *x = m;
    lun_status s = LUN_OK;
    lun_stats *stats = m->services->stats;
    const int64_t messages = stats->messages;
    lun_mpi_answer a;
    void *bytes = NULL;
    int64_t count = 0;
    if (m->rank <= 0 || !m->services->link)
        return s;
    do { /* all are asked at once, and each answers in its turn */
        if (x->rank > 0 && !x->counting && (x->asked || x->out.length || x->launched.length)) {
            lun__mpi_ask(x, LUN_MPI_COUNT);
            x->awaited = x->counting = true;
        }
        x = x->next;
    } while (x != m);
    if (m->counting)
        (void)lun__mpi_send(m); /* which may fail for another rank */
    if (m->counting && m->unsent == LUN_OK && (s = receive(m, &bytes, &count)) == LUN_OK &&
        (s = read_answer(m, bytes, count, &a)) == LUN_OK)
        free(a.bytes);
    m->counting = m->asked = false;
    stats->messages = messages;
    return s;
}

lun_status lun__mpi_hear_launch(lun_mpi *m, lun_mpi_answer *out)
{
    void *bytes = m->kept;
    int64_t count = m->kept_count;
    *out = (lun_mpi_answer){.trap = -1};
    m->under_way = false;
    m->kept = NULL;
    lun_status s = bytes ? LUN_OK : receive(m, &bytes, &count);
    return s == LUN_OK ? read_answer(m, bytes, count, out) : s;
}

lun_status lun__mpi_hear_status(lun_mpi *m)
{
    lun_mpi_answer a;
    lun_status s = lun__mpi_hear(m, &a);
    free(a.bytes);
    return s;
}

/* ---- numbers --------------------------------------------------------------------------------- */

int32_t lun__mpi_number(lun_mpi_numbers *n)
{
    if (n->count)
        return n->free[--n->count];
    /* room to free it, so that this cannot fail */
    if (n->next == INT32_MAX ||
        (n->next >= n->room && !lun__grow(&n->free, n->next, &n->room, sizeof *n->free)))
        return -1;
    return n->next++;
}

void lun__mpi_number_free(lun_mpi_numbers *n, int32_t number)
{
    n->free[n->count++] = number;
}
