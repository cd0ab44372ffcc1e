/* ranks_state.h - what an engine that is one of several ranks keeps, and how its files wait and
 * talk. Private to the room.
 *
 * Invariant: all of it is the engine's thread's. Once `given_up` the transport was abandoned: no
 * call of it follows but close, every step fails with the text `over`, and where it `lingers`
 * memory of requests that are not done is never freed. `sending` has the sends that are not done,
 * each with its bytes or a reference to lent ones. `agreeing` is NULL but from the start of an
 * agreement to its end; `split`: that end is lun_spmd_barrier_end, or the next step, which sets
 * `passed`. While it is `serving` a rank listens to nothing and takes no step, so that requests do
 * not nest. PE 0's lock is with `holder`; in `queue` a rank is once at most, and never that one.
 *
 * What travels, in the machine's byte order, by tag:
 *
 *   tag         offset  bytes
 *   CONTROL          0      1  a kind, LUN_SAYS_...
 *                    1      *  of END, OVER, PROPOSE: a text without a zero byte; of REQUEST and
 *                              ELEMENT: what the host or lun_shared asks
 *                    1      8  of STOP: the number of a message of rank 0
 *   REPLY            0      *  what answers a REQUEST or ELEMENT; to LOCK and UNLOCK nothing
 *   PARTS,           0      1  'm': another piece follows; 'l': it is the last one
 *   USER + t         1      *  the piece, `most` bytes but for the last one
 *                              or, where the receiver knows the number of bytes, these alone
 *   LINK, TREE                 see link.c, broadcast_tree.c
 *
 * The steps of all ranks are described where they are made: agreement.c, collectives.c,
 * allgatherv.c. */
#ifndef LUN_RANKS_STATE_H
#define LUN_RANKS_STATE_H

#include "base/clock.h"
#include "base/strbuf.h"
#include "engine/state.h"
#include "lunarray_bind.h"
#include "net/net.h"
#include "ranks/ranks.h"

/* The tags of messages. A control message begins with one of the kinds below. */
enum { LUN_TAG_CONTROL, LUN_TAG_REPLY, LUN_TAG_LINK, LUN_TAG_TREE, LUN_TAG_PARTS, LUN_TAG_USER };
enum {
    LUN_SAYS_ASK = 'a',     /* are you there? */
    LUN_SAYS_HERE = 'h',    /* yes */
    LUN_SAYS_PROPOSE = 'p', /* to the first rank that is there: give up, for this reason */
    LUN_SAYS_OVER = 'o',    /* all give up, for this reason */
    LUN_SAYS_END = 'e',     /* I have ended, for this reason */
    LUN_SAYS_REQUEST = 'r', /* for the function of lun_spmd_serve */
    LUN_SAYS_ELEMENT = 'i', /* for the one of lun__serve_elements */
    LUN_SAYS_LOCK = 'l',    /* PE 0's lock, please */
    LUN_SAYS_UNLOCK = 'u',  /* here it is */
    LUN_SAYS_STOP = 's'     /* of a link: what was asked up to this message shall end */
};

/* Bytes of a host that are on their way in so many pieces: then it is told. */
typedef struct lun_lent_bytes {
    int64_t pieces;
    void (*release)(void *held);
    void *held;
} lun_lent_bytes;

/* A send that may still be on its way; it owns its bytes, or has them lent. */
typedef struct lun_sending {
    struct lun_sending *next;
    lun_net_request *request;
    lun_lent_bytes *lent; /* NULL: `bytes` */
    int64_t counted;      /* bytes in the account: of a message of the user's */
    char bytes[];
} lun_sending;

/* A message of a rank to itself, and all with one tag in the order in which they were sent. */
typedef struct lun_self_message {
    struct lun_self_message *next;
    int64_t count;
    char bytes[];
} lun_self_message;
typedef struct lun_self_tag {
    struct lun_self_tag *next;
    int tag;
    lun_self_message *first, **end; /* not empty; where the next one goes */
} lun_self_tag;
enum { LUN_SELF_TAGS = 256 }; /* lists of tags, each of those that are equal modulo that */

/* A question of another rank that is answered later. */
typedef struct lun_question {
    struct lun_question *next;
    int from;
    int64_t count;
    char bytes[]; /* as it came, a zero byte behind them */
} lun_question;

/* Messages to and from a rank by one tag, but for control messages: so many were sent and received,
 * and so many come, as it said when it ended. */
typedef struct lun_tally {
    struct lun_tally *next;
    int tag;
    int64_t sent, got, comes;
} lun_tally;

/* Bytes that go from a rank to another, or to all: lun__rank_move. */
typedef struct lun_rank_part {
    int from, to;
    void *bytes;
    int64_t count;
} lun_rank_part;

/* A link to a rank.  Messages from rank 0 come from there or down a tree; `asked` says in which
 * order they were sent, the other numbers that none is lost unseen. */
typedef struct lun_line {
    int64_t sent, received; /* messages from here to there and back, */
    int64_t passed, came;   /* and those of trees */
    int64_t asked; /* rank 0: the last message to that rank; on that rank, for rank 0: the last one
                       that was handed over */
    int64_t known; /* rank 0: up to this one that rank has them all, */
    int64_t by_tree; /* and this is the last one that went down a tree */
    bool passes;     /* it has been given messages to pass on */
    int lost_by;     /* rank 0: this rank was to pass some on, and has ended; 0: none */
} lun_line;

/* A message of rank 0, by its number. */
typedef struct lun_held {
    struct lun_held *next;
    int64_t number, count;
    double at; /* of the modelled clock: when it arrived */
    char *bytes;
} lun_held;

/* Bytes for a rank, on their way down a tree. */
typedef struct lun_tree_part {
    int to;
    int64_t number, count;
    const char *bytes;
} lun_tree_part;

struct lun_ranks_state {
    lun_net *net;        /* NULL: one rank alone */
    lun_strbuf over;     /* why nothing goes any more, once the ranks have given up */
    bool given_up;       /* it is so */
    bool lingers;        /* and the transport may still work on the memory of what was under way */
    bool ending;         /* this rank's script has ended */
    char **ended;        /* of each rank: why, " (a.lua:9: ...)" or "", NULL while it has not */
    bool *here;          /* of each rank: it has answered */
    lun_tally **tallies; /* of each rank */
    const char *inside;  /* "master" or "critical": no steps there; NULL: neither */
    const char *around;  /* what was so before the critical section */
    bool serving;
    lun_sending *sending;
    int64_t waiting; /* bytes in the account: of messages that the transport has copied */
    int moving;      /* sends of a step that have not gone */
    lun_self_tag *own[LUN_SELF_TAGS];

    lun_rank_part *parts; /* rank_moves.c: what is to move, */
    int part_count, part_room;
    bool told;         /* why the step under way fails */
    int64_t allocated; /* bytes when it began */
    struct lun_backend_slot *
        *locations;        /* and the ranks as the locations of a set; NULL: none yet */
    lun_in_use around_set; /* what is in use again once that set is not */

    bool split;        /* a barrier has begun */
    bool passed;       /* and is over, since another step came before its end */
    uint64_t words[5]; /* of an agreement under way */
    lun_net_request *agreeing;
    lun_strbuf doing;   /* what this rank says that it does in it, */
    lun_strbuf options; /* and what must be the same besides */

    void (*serve)(void *ctx, int from, const void *bytes, int64_t count);
    void *serve_ctx;
    lun_serve_elements *elements;
    bool holds;                /* questions wait: elements are about to change */
    lun_question *questions;   /* in the order in which they came */
    int holder;                /* of PE 0's lock; -1: none */
    int *queue, queued;        /* ranks that wait for it */
    double timeout, log_after; /* seconds; timeout 0: none */
    int most;                  /* bytes of one call of the transport */
    double counted;            /* of the modelled clock: in the counters */

    /* link.c: rank 0 has the script, the others serve it; none takes steps */
    bool linked;
    lun_link link;
    lun_line *lines; /* to each rank; NULL: not linked */
    lun_held *held;  /* on a rank that serves: what came, in this order, and was not handed over */
    int64_t stop;    /* there: up to this message of rank 0 all is to end */
    double listened; /* when it last listened while it computed */
};

/* The clock of waits. */
static inline double lun__rank_now(const lun_ranks_state *r)
{
    return r->net->calls->now ? r->net->calls->now(r->net) : lun__clock_now();
}

/* Whether this engine takes steps alone. */
static inline bool lun__alone(const lun_engine *e)
{
    return !e->ranks || !e->ranks->net || e->ranks->linked;
}

/* A wait: for what, and for which rank. */
typedef struct lun_wait {
    const char *noun; /* "a barrier" */
    int from;         /* LUN_NET_ANY: all */
    double began, asked, proposed;
    int64_t rest; /* the next one on a transport that wakes, in nanoseconds */
    bool logged;
    bool moves; /* many bytes are on their way: this rank has a part in that, and does not rest */
    int turns;
} lun_wait;

/* Forgets questions that wait. */
void lun__drop_questions(lun_ranks_state *r);
/* Those of a rank and a tag, made where there are none. NULL: no memory. */
lun_tally *lun__tally(lun_engine *e, int rank, int tag);
/* Whether a message by that tag of a rank that has ended is still on its way. */
bool lun__still_comes(const lun_ranks_state *r, int rank, int tag);
void lun__tallies_free(lun_ranks_state *r);
/* Frees the sends that have gone. */
lun_status lun__let_go(lun_engine *e);
/* Frees one of them. */
void lun__sending_free(lun_engine *e, lun_sending *s);
/* A message of bytes that stay where they are until it has gone. */
lun_status lun__post_lent(lun_engine *e, int to, int tag, const void *bytes, int64_t count,
                          lun_lent_bytes *lent);
/* A message that has been found; *bytes: to be freed, a zero byte behind it. */
lun_status lun__receive(lun_engine *e, lun_net_found found, int tag, char **bytes);

lun_wait lun__wait_new(const char *noun, int from);
/* A rank has ended, and what it sent may still be on its way: it is looked for soon. */
void lun__wait_soon(lun_wait *w);
/* Until the request is done: answers others meanwhile, and heeds cancellation and time. */
lun_status lun__wait_for(lun_engine *e, lun_net_request **request, lun_wait *w);
/* Tools see a message or a wait. */
void lun__wait_event(lun_engine *e, bool begins, const char *name, const char *label,
                     int64_t bytes);
/* One turn of a wait for something else than a request. */
lun_status lun__wait_poll(lun_engine *e, lun_wait *w);
/* Of a rank that serves one turn more without a request: rank 0 may take its time, so a time limit
 * for ranks ends nothing, but is logged once rank 0 does not answer either. */
lun_status lun__wait_serving(lun_engine *e, lun_wait *w);
/* Counts what the modelled clock has gone on. */
void lun__count_network(lun_engine *e);
/* What is received until lun__clock_back, and sent for it, happens beside what this rank does:
 * the modelled clock is that of its arrival, and then what it was before. */
double lun__clock_aside(lun_engine *e);
void lun__clock_back(lun_engine *e, double now);
/* What this rank does next needs what arrived then. */
void lun__clock_reaches(lun_engine *e, double at);
/* The same, which a cancellation does not end. */
lun_status lun__wait_on(lun_engine *e, lun_wait *w);
/* The failure of the transport. */
lun_status lun__net_failed(lun_engine *e);
/* All give up: tells the others; the engine's failure is that text. */
lun_status lun__give_up(lun_engine *e, const char *text);
/* For what has failed on this rank, while others wait for it. */
lun_status lun__give_up_alone(lun_engine *e);
/* The failure once that has happened. */
lun_status lun__is_over(lun_engine *e);
/* Takes what others have sent: questions, requests, ends. */
lun_status lun__listen(lun_engine *e);
/* A request is answered by the host, which is not asked for another one meanwhile; without one by
 * an empty reply. bytes NULL: that rank has ended. */
lun_status lun__answer(lun_engine *e, int from, const void *bytes, int64_t count);
/* Asks a rank, which may be this one, and waits for its answer; *reply: to be freed. */
lun_status lun__ask(lun_engine *e, int pe, char kind, const void *bytes, int64_t count,
                    void **reply, int64_t *reply_count);
/* What PE 0 does with its lock: a rank wants it, gives it back, has ended. */
lun_status lun__lock_asked(lun_engine *e, int from);
lun_status lun__lock_returned(lun_engine *e, int from);
lun_status lun__lock_forget(lun_engine *e, int from);
/* As many bytes from root to all, in a step that is told as `doing`. */
typedef struct lun_same {
    int root;
    void *bytes;
    int64_t count;
} lun_same;
lun_status lun__bcast(lun_engine *e, const char *doing, const char *noun, lun_same given);
/* A message that is kept until it has gone. */
lun_status lun__post(lun_engine *e, int to, int tag, char kind, const void *bytes, int64_t count);
/* The first message with that tag from a rank, waited for; *bytes: to be freed. */
lun_status lun__take_message(lun_engine *e, int from, int tag, lun_wait *w, void **bytes,
                             int64_t *count);
/* Sends parts to their ranks, by way of the first ones. */
lun_status lun__tree_send(lun_engine *e, const lun_tree_part *parts, int count);
/* Takes what has come down trees, passes on what is others' and holds what is this rank's. */
lun_status lun__tree_listen(lun_engine *e);
/* Holds a message of rank 0, whose bytes it takes over. */
lun_status lun__tree_hold(lun_engine *e, lun_held held);
/* The next one in order, if it is there; NULL: it is not. */
char *lun__tree_next(lun_engine *e, int64_t *count);
/* A rank has ended which may have had messages to pass on. */
void lun__tree_ended(lun_engine *e, int rank);
/* The rank whose end cuts that rank off, which may be itself; -1: none does. */
int lun__cut_off(const lun_ranks_state *r, int rank);
/* Everyone's own bytes to all, in rank order; *counts and *all: to be freed. Not counted. */
lun_status lun__gather(lun_engine *e, const void *own, int64_t count, int64_t **counts, char **all);
/* The same with everyone's counts known, behind which there is room for as many numbers; *all: to
 * be freed. */
lun_status lun__gather_known(lun_engine *e, const void *own, int64_t *counts, char **all);
/* So many bytes of every rank; `all` has room for all. */
lun_status lun__gather_fixed(lun_engine *e, const void *own, int count, void *all);
/* Counts a step that has moved so many bytes of this rank. */
void lun__count_step(lun_engine *e, int64_t bytes);
/* Appends the source line, as " (script:12)". */
void lun__add_source_line(lun_engine *e, lun_strbuf *text);

#endif
