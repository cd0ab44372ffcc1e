/* team_methods.h - methods of t that are written in Lua, by those of team_object.c.
 *
 * team_operations.c inlines them like local functions; mistakes are reported at the line of the
 * call. */
#ifndef LUAFN_TEAM_METHODS_H
#define LUAFN_TEAM_METHODS_H

/* The text, whose local functions are in the order of lf_method. */
extern const char luafn_team_methods[];

typedef enum lf_method {
    LF_METHOD_BROADCAST,
    LF_METHOD_REDUCE,
    LF_METHOD_SCAN,
    LF_METHOD_REDUCE_LANES,
    LF_METHOD_REDUCE_PAIRS
} lf_method;

#endif
