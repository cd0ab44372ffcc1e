/* mpi_of.h - the transport over MPI for one binary interface, included by mpi_transport.c once for
 * each: ABI is its name; before that MPI_Comm, MPI_Datatype, MPI_Op, MPI_Errhandler, MPI_Request
 * and MPI_Status are its types, and CONSTANTS(c, lib) fills its constants. Functions are found in
 * the library at run time, by their names. */
#define JOINED(name, abi) name##_##abi
#define JOIN(name, abi)   JOINED(name, abi)
#define OF(name)          JOIN(name, ABI)

/* Every function that is called: name, parameters. */
#define FUNCTIONS(F)                                                                              \
    F(Init_thread, (int *argc, char ***argv, int wanted, int *provided))                          \
    F(Initialized, (int *flag))                                                                   \
    F(Finalized, (int *flag))                                                                     \
    F(Finalize, (void))                                                                           \
    F(Comm_rank, (MPI_Comm comm, int *rank))                                                      \
    F(Comm_size, (MPI_Comm comm, int *size))                                                      \
    F(Comm_idup, (MPI_Comm comm, MPI_Comm * out, MPI_Request * r))                                \
    F(Comm_free, (MPI_Comm * comm))                                                               \
    F(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler))                               \
    F(Get_library_version, (char *text, int *length))                                             \
    F(Error_string, (int code, char *text, int *length))                                          \
    F(Isend, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)) \
    F(Irecv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r))     \
    F(Test, (MPI_Request * r, int *flag, MPI_Status *status))                                     \
    F(Iprobe, (int from, int tag, MPI_Comm c, int *flag, MPI_Status *status))                     \
    F(Get_count, (const MPI_Status *status, MPI_Datatype t, int *count))                          \
    F(Ibcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r))             \
    F(Iallgatherv, (const void *b, int n, MPI_Datatype t, void *all, const int *counts,           \
                    const int *displs, MPI_Datatype u, MPI_Comm c, MPI_Request *r))               \
    F(Ialltoallv,                                                                                 \
      (const void *b, const int *counts, const int *displs, MPI_Datatype t, void *got,            \
       const int *got_counts, const int *got_displs, MPI_Datatype u, MPI_Comm c, MPI_Request *r)) \
    F(Iallreduce,                                                                                 \
      (const void *b, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request *r))

typedef struct OF(mpi) {
    lun_net base;
    MPI_Comm world;
    MPI_Comm comm; /* our own */
    MPI_Datatype byte;
    MPI_Op band;
    MPI_Errhandler errors_return;
    int any_source, funneled, serialized;
    bool started, abandoned; /* started: here, so ended here */
#define F(name, parameters) int(*name) parameters;
    FUNCTIONS(F)
#undef F
} OF(mpi);

typedef struct OF(request) {
    MPI_Request handle;
    int *displs;     /* where parts begin, while they are in use */
    uint64_t *words; /* what this rank gave to an agreement */
} OF(request);

/* True for MPI_SUCCESS; else keeps what MPI says about it. */
static bool OF(check)(OF(mpi) * me, int code, const char *call)
{
    char text[4096] = "";
    int length = 0;
    if (code == 0)
        return true;
    if (me->Error_string(code, text, &length) != 0)
        snprintf(text, sizeof text, "error %d", code);
    snprintf(me->base.error, sizeof me->base.error, "MPI_%s: %.400s", call, text);
    return false;
}

/* Whether MPI is there: a host that has started it may have ended it too early, after which its
 * calls would end the process. */
static bool OF(alive)(OF(mpi) * me)
{
    int ended = 0;
    if (me->started || (me->Finalized(&ended) == 0 && !ended))
        return true;
    snprintf(me->base.error, sizeof me->base.error, "MPI has already ended in this process");
    return false;
}

static OF(request) * OF(new_request)(OF(mpi) * me, size_t displs, size_t words)
{
    if (!OF(alive)(me))
        return NULL;
    OF(request) *r = calloc(1, sizeof *r);
    if (r && displs)
        r->displs = calloc(displs, sizeof *r->displs);
    if (r && words)
        r->words = calloc(words, sizeof *r->words);
    if (r && (!displs || r->displs) && (!words || r->words))
        return r;
    if (r)
        free(r->displs);
    free(r);
    snprintf(me->base.error, sizeof me->base.error, "out of memory");
    return NULL;
}

static void OF(free_request)(OF(request) * r)
{
    free(r->displs);
    free(r->words);
    free(r);
}

/* Gives the request of a call that has begun; ends it where the call has failed. */
static bool OF(begun)(OF(mpi) * me, OF(request) * r, int code, const char *call,
                      lun_net_request **out)
{
    if (!OF(check)(me, code, call)) {
        OF(free_request)(r);
        return false;
    }
    *out = (lun_net_request *)r;
    return true;
}

static bool OF(isend)(lun_net *n, int to, int tag, const void *bytes, int count,
                      lun_net_request **out)
{
    OF(mpi) *me = (OF(mpi) *)n;
    OF(request) *r = OF(new_request)(me, 0, 0);
    return r && OF(begun)(me, r, me->Isend(bytes, count, me->byte, to, tag, me->comm, &r->handle),
                          "Isend", out);
}

static bool OF(irecv)(lun_net *n, int from, int tag, void *bytes, int count, lun_net_request **out)
{
    OF(mpi) *me = (OF(mpi) *)n;
    OF(request) *r = OF(new_request)(me, 0, 0);
    return r && OF(begun)(me, r, me->Irecv(bytes, count, me->byte, from, tag, me->comm, &r->handle),
                          "Irecv", out);
}

static bool OF(test)(lun_net *n, lun_net_request **request)
{
    OF(mpi) *me = (OF(mpi) *)n;
    OF(request) *r = (OF(request) *)*request;
    MPI_Status status;
    int flag = 0;
    if (!r)
        return true;
    if (!OF(alive)(me) || !OF(check)(me, me->Test(&r->handle, &flag, &status), "Test"))
        return false;
    if (flag) {
        OF(free_request)(r);
        *request = NULL;
    }
    return true;
}

static bool OF(probe)(lun_net *n, int from, int tag, lun_net_found *out)
{
    OF(mpi) *me = (OF(mpi) *)n;
    MPI_Status status;
    int flag = 0, count = -1;
    if (!OF(alive)(me) || !OF(check)(me,
                                     me->Iprobe(from == LUN_NET_ANY ? me->any_source : from, tag,
                                                me->comm, &flag, &status),
                                     "Iprobe"))
        return false;
    *out = (lun_net_found){-1, -1};
    if (!flag)
        return true;
    if (!OF(check)(me, me->Get_count(&status, me->byte, &count), "Get_count"))
        return false;
    *out = (lun_net_found){status.MPI_SOURCE, count};
    return true;
}

static bool OF(ibcast)(lun_net *n, int root, void *bytes, int count, lun_net_request **out)
{
    OF(mpi) *me = (OF(mpi) *)n;
    OF(request) *r = OF(new_request)(me, 0, 0);
    return r && OF(begun)(me, r, me->Ibcast(bytes, count, me->byte, root, me->comm, &r->handle),
                          "Ibcast", out);
}

/* Where parts of these sizes begin. */
static void OF(displace)(int *displs, const int *counts, int size)
{
    for (int i = 0, at = 0; i < size; at += counts[i++])
        displs[i] = at;
}

static bool OF(iallgather)(lun_net *n, const void *own, int count, lun_net_parts all,
                           lun_net_request **out)
{
    OF(mpi) *me = (OF(mpi) *)n;
    OF(request) *r = OF(new_request)(me, (size_t)n->size, 0);
    if (!r)
        return false;
    OF(displace)(r->displs, all.counts, n->size);
    int code = me->Iallgatherv(own, count, me->byte, all.bytes, all.counts, r->displs, me->byte,
                               me->comm, &r->handle);
    return OF(begun)(me, r, code, "Iallgatherv", out);
}

static bool OF(ialltoall)(lun_net *n, lun_net_parts given, lun_net_parts got, lun_net_request **out)
{
    OF(mpi) *me = (OF(mpi) *)n;
    OF(request) *r = OF(new_request)(me, 2 * (size_t)n->size, 0);
    if (!r)
        return false;
    int *first = r->displs, *second = first + n->size;
    OF(displace)(first, given.counts, n->size);
    OF(displace)(second, got.counts, n->size);
    int code = me->Ialltoallv(given.bytes, given.counts, first, me->byte, got.bytes, got.counts,
                              second, me->byte, me->comm, &r->handle);
    return OF(begun)(me, r, code, "Ialltoallv", out);
}

static bool OF(iagree)(lun_net *n, uint64_t *words, int count, lun_net_request **out)
{
    OF(mpi) *me = (OF(mpi) *)n;
    OF(request) *r = OF(new_request)(me, 0, (size_t)count);
    if (!r)
        return false;
    int bytes = count * (int)sizeof *words;
    memcpy(r->words, words, (size_t)bytes);
    int code = me->Iallreduce(r->words, words, bytes, me->byte, me->band, me->comm, &r->handle);
    return OF(begun)(me, r, code, "Iallreduce", out);
}

/* Nothing in MPI wakes a rank that rests. */
static void OF(rest)(lun_net *n, int64_t nanoseconds)
{
    (void)n;
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

static bool OF(abandon)(lun_net *n)
{
    ((OF(mpi) *)n)->abandoned = true;
    return true;
}

static void OF(close)(lun_net *n)
{
    OF(mpi) *me = (OF(mpi) *)n;
    if (!me->abandoned && OF(alive)(me)) {
        me->Comm_free(&me->comm);
        if (me->started)
            me->Finalize();
    }
    free(me);
}

/* The first words of what the library says of itself, and its file. */
static void OF(tell)(OF(mpi) * me)
{
    char text[8192] = "";
    int length = 0;
    Dl_info file = {NULL, NULL, NULL, NULL};
    void *of_it = *(void **)&me->Get_library_version;
    if (me->Get_library_version(text, &length) != 0)
        text[0] = '\0';
    text[strcspn(text, ",\n")] = '\0';
    snprintf(me->base.name, sizeof me->base.name, "%.60s, %.240s", text,
             dladdr(of_it, &file) && file.dli_fname ? file.dli_fname : "?");
}

/* Starts MPI where nobody has. */
static bool OF(init)(OF(mpi) * me, patience *p)
{
    int initialized = 0, code = 0;
    if (!OF(alive)(me) || !OF(check)(me, me->Initialized(&initialized), "Initialized"))
        return false;
    if (!initialized &&
        !begin_under_limit(me->Init_thread, p->seconds > 0 ? me->serialized : me->funneled, p,
                           &code))
        return false;
    me->started = !initialized;
    return OF(check)(me, code, "Init_thread");
}

/* Takes a communicator of our own, as all ranks do. */
static bool OF(join)(OF(mpi) * me, patience *p)
{
    MPI_Request request;
    MPI_Status status;
    int there = 0;
    if (!OF(check)(me, me->Comm_idup(me->world, &me->comm, &request), "Comm_idup"))
        return false;
    for (int turn = 0; OF(check)(me, me->Test(&request, &there, &status), "Test");
         turn += turn < 1000)
        if (there || !wait_turn(p, turn))
            return there;
    return false;
}

static bool OF(start)(OF(mpi) * me, patience *p)
{
    if (!OF(init)(me, p))
        return false;
    OF(tell)(me);
    return OF(join)(me, p) &&
           OF(check)(me, me->Comm_set_errhandler(me->comm, me->errors_return),
                     "Comm_set_errhandler") &&
           OF(check)(me, me->Comm_rank(me->comm, &me->base.rank), "Comm_rank") &&
           OF(check)(me, me->Comm_size(me->comm, &me->base.size), "Comm_size");
}

static lun_net *OF(open)(void *lib, patience *p, char *error, int room)
{
    static const lun_net_calls calls = {
        .isend = OF(isend),
        .irecv = OF(irecv),
        .test = OF(test),
        .probe = OF(probe),
        .ibcast = OF(ibcast),
        .iallgather = OF(iallgather),
        .ialltoall = OF(ialltoall),
        .iagree = OF(iagree),
        .rest = OF(rest),
        .abandon = OF(abandon),
        .close = OF(close),
    };
    OF(mpi) *me = calloc(1, sizeof *me);
    if (!me) {
        snprintf(error, (size_t)room, "out of memory");
        return NULL;
    }
    me->base.calls = &calls;
    const char *missing = NULL;
    if (!CONSTANTS(me, lib))
        missing = "its constants";
#define F(name, parameters)                                       \
    *(void **)&me->name = lun__library_symbol(lib, "MPI_" #name); \
    if (!me->name)                                                \
        missing = "MPI_" #name;
    FUNCTIONS(F)
#undef F
    if (missing)
        snprintf(error, (size_t)room, "it has no %s", missing);
    else if (OF(start)(me, p))
        return &me->base;
    else
        snprintf(error, (size_t)room, "%s", me->base.error);
    if (!p->late) /* else MPI may still write to it */
        free(me);
    return NULL;
}

#undef FUNCTIONS
#undef OF
#undef JOIN
#undef JOINED
