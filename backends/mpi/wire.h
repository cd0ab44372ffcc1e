/* wire.h - what rank 0 says to a rank that serves, and what that answers.
 *
 * A message is any number of requests, one after the other: a word, then what its row says, in the
 * form of base/bytes.h.  Kernels and buffers have numbers, which rank 0 chooses: one that is free,
 * or the next new one.  Answers come in the order of the requests that have one: a status, the trap
 * and its value, a text, by how much the rank's counters have gone on since the answer before, then
 * what the row says.
 * What fails without an answer makes what it should have made unusable: whatever needs that later
 * fails for the same reason.
 *
 * Elements go from one rank that serves to another without rank 0: what is GIVEn is a message from
 * rank to rank, a status, a text, then the elements.  Nobody waits at a TAKE: the elements are
 * awaited when the next request could meet them, so that ranks which give to each other do not wait
 * for each other's turn.
 *
 * What is LOADed is read when the buffer is used, or its file is CLOSEd.  A read that fails makes
 * what needed it fail, and is tried again by what needs it next. */
#ifndef LUN_MPI_WIRE_H
#define LUN_MPI_WIRE_H

/* Of the bytes; another version of the library may have another form of IR. */
#define LUN_MPI_HELLO LUN_VERSION " 6"

enum { LUN_MPI_PIECE = 1 << 24 }; /* bytes of elements in one message */
enum { LUN_MPI_CELLS = 1 << 26 }; /* of a reduction on one rank, which answers with all of them */

typedef enum lun_mpi_word {
    LUN_MPI_GREET,     /* text, version of the bits -> whether it multiplies matrices, does
                          algorithms, runs launches with turns; its backend; bytes of that device's
                          memory, threads or compute units */
    LUN_MPI_NEW,       /* buffer, bytes */
    LUN_MPI_FREE,      /* buffer */
    LUN_MPI_UPLOAD,    /* buffer, offset, bytes */
    LUN_MPI_DOWNLOAD,  /* buffer, offset, count -> bytes */
    LUN_MPI_BUILD,     /* kernel, math mode, whether to answer, IR as bytes [->] */
    LUN_MPI_RELEASE,   /* kernel */
    LUN_MPI_PREPARE,   /* kernel -> */
    LUN_MPI_RUN,       /* launch, whether to answer [-> cells] */
    LUN_MPI_COMBINE,   /* launch, pairs, cells -> cells */
    LUN_MPI_PAD,       /* padding, bytes of an element, from, origin, to */
    LUN_MPI_TRANSFER,  /* transfer */
    LUN_MPI_PRODUCT,   /* product -> */
    LUN_MPI_ALGORITHM, /* algorithm, segment, first, every, options, columns -> of each result its
                          length, and its bytes if it goes with the answer */
    LUN_MPI_FINISH,    /* -> */
    LUN_MPI_COUNT,     /* -> */
    LUN_MPI_SOURCE,    /* IR as bytes -> text */
    LUN_MPI_GIVE,      /* buffer, offset, count, rank: elements for that one, which TAKEs them */
    LUN_MPI_TAKE,      /* buffer, offset, count, rank: what that one GIVEs; they meet in order */
    LUN_MPI_OPEN,  /* file, name, path, mark -> whether that file is seen here, which stays open */
    LUN_MPI_LOAD,  /* buffer, offset, file, at, count, form of elements: of an open file */
    LUN_MPI_CLOSE, /* file */
    LUN_MPI_READ,  /* -> : what is to be LOADed */
    LUN_MPI_CRC,   /* file, at, count -> the CRC-32 of these bytes of an open file */
    LUN_MPI_STORE, /* buffer, offset, count, outfile, at -> whether that file is seen; an errno */
    LUN_MPI_WORDS
} lun_mpi_word;

/* What stands for the buffer of a column: there is none; its elements come with the request, or go
 * with the answer. */
enum { LUN_MPI_NONE = -1, LUN_MPI_HERE = -2 };

/* How a slot's elements stand: side by side; as a layout says; they are its places; of a launch
 * with turns each segment begins where the layout says. */
typedef enum lun_mpi_slot {
    LUN_MPI_DENSE,
    LUN_MPI_LAYOUT,
    LUN_MPI_PLACES,
    LUN_MPI_LINES
} lun_mpi_slot;

#endif
