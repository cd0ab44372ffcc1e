/* options.h - the command line of the program: its options, or which one is wrong. Private to the
 * program. */
#ifndef LUN_OPTIONS_H
#define LUN_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

/* The command line. The options before the script are visited twice: once by lun__options_parse,
 * for errors and for options that must be known early, and once to run -e, -l and -W in their
 * order. */
typedef struct lun_options {
    const char *program; /* argv[0], for messages */
    char **argv;
    int argc;
    int script;            /* index of the script, argc if there is none */
    bool has_script;       /* false also where "--" ends the line */
    const char *bad;       /* the option that is wrong, or NULL */
    const char *complaint; /* what is wrong with it; holds one %s */
    const char *backend;
    const char *threads, *bind;
    const char *ranks;
    const char *errors, *trace; /* NULL, "text" or "json" */
    bool linked;                /* the backend's locations are ranks: the others serve the first */
    const char *seconds, *megabytes; /* limits; given, they make a sandbox */
    bool sandbox, check, plan, session;
    bool interactive, version, ignore_env, executes, info, help, about;
} lun_options;

/* Reads the options up to the script; o->argv and o->argc are given. False with o->bad set at the
 * first wrong one. */
bool lun__options_parse(lun_options *o);

/* Advances from an option with two dashes to its last word, for running the options in their
 * order. */
void lun__options_pass(const lun_options *o, int *index);

/* A limit: a number above 0, such as 2 or 0.5; 0 for any other text. */
double lun__options_limit(const char *text);

void lun__options_usage(FILE *to, const char *program);

#endif
