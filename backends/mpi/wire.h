/* wire.h - what rank 0 says to a rank that serves, and what that answers.
 *
 * A message is any number of requests, one after the other: a word, then what its row says, in the
 * form of base/bytes.h.  Kernels and buffers have numbers, which rank 0 chooses: one that is free,
 * or the next new one.  A request with an answer is the last of its message, or followed by others
 * with answers; answers come in the order of requests: a status, the trap and its value, a text,
 * then what the row says.  What fails without an answer makes what it should have made unusable:
 * whatever needs that later fails for the same reason. */
#ifndef LUN_MPI_WIRE_H
#define LUN_MPI_WIRE_H

/* Of the bytes; another version of the library may have another form of IR. */
#define LUN_MPI_HELLO LUN_VERSION " 1"

enum { LUN_MPI_PIECE = 1 << 24 }; /* bytes of elements in one message */

typedef enum lun_mpi_word {
    LUN_MPI_GREET,    /* text -> whether it multiplies matrices */
    LUN_MPI_NEW,      /* buffer, bytes */
    LUN_MPI_FREE,     /* buffer */
    LUN_MPI_UPLOAD,   /* buffer, offset, bytes */
    LUN_MPI_DOWNLOAD, /* buffer, offset, count -> bytes */
    LUN_MPI_BUILD,    /* kernel, math mode, whether to answer, IR as bytes [->] */
    LUN_MPI_RELEASE,  /* kernel */
    LUN_MPI_PREPARE,  /* kernel -> */
    LUN_MPI_RUN,      /* launch, whether to answer [-> cells] */
    LUN_MPI_COMBINE,  /* launch, pairs, cells -> cells */
    LUN_MPI_PAD,      /* padding, bytes of an element, from, origin, to */
    LUN_MPI_TRANSFER, /* transfer */
    LUN_MPI_PRODUCT,  /* product -> */
    LUN_MPI_FINISH,   /* -> */
    LUN_MPI_SOURCE,   /* IR as bytes -> text */
    LUN_MPI_WORDS
} lun_mpi_word;

/* How a slot's elements stand. */
typedef enum lun_mpi_slot { LUN_MPI_DENSE, LUN_MPI_LAYOUT, LUN_MPI_PLACES } lun_mpi_slot;

#endif
