/* left_out.h - a test that what watches the program does not allow: it says so, and
 * tests/run.sh shows it. */
#ifndef TEST_LEFT_OUT_H
#define TEST_LEFT_OUT_H

#define LEAVE_OUT(reason)                                      \
    do {                                                       \
        print_message("left out: %s: %s\n", __func__, reason); \
        skip();                                                \
    } while (0)

#endif
