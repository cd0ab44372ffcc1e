/* vector.h - GNU vectors: types, templates, small helpers. */
#ifndef LUN_RENDER_VECTOR_VECTOR_H
#define LUN_RENDER_VECTOR_VECTOR_H

#include "render/renderer.h"

/* How values of a dtype are represented; a mask in lanes of so many bytes. */
lun_rep lun__vector_rep(lun_dtype t, int mask_bytes);
int lun__vector_rep_bytes(lun_rep rep); /* of a lane */
/* "f32", "b32": for names of helpers. */
lun_snippet lun__vector_rep_name(lun_rep rep);
/* Vector type of so many lanes, "f32x16"; vector type of rep. */
lun_snippet lun__vector_of(lun_renderer *r, lun_dtype t, int lanes);
lun_snippet lun__vector_type(lun_renderer *r, lun_rep rep);
/* Appends a template to the helpers, after the types that it mentions: $v vector type of rep, $m
 * its mask type, $u the unsigned one, $t type of a lane, $n name of rep, $s bits of a lane, $W
 * lanes, $g the language's word for memory of slots, $$ a dollar. */
void lun__vector_helper(lun_renderer *r, lun_rep rep, const char *text);
/* Appends a shuffle of vectors a and b of rep: lane l comes from index at(l, lanes, arg). */
void lun__vector_shuffle(lun_renderer *r, lun_strbuf *out, lun_rep rep, const char *a,
                         const char *b, int (*at)(int lane, int lanes, int arg), int arg);
/* Functions: */
lun_snippet lun__vector_splat(lun_renderer *r, lun_rep rep);  /* from a single element */
lun_snippet lun__vector_select(lun_renderer *r, lun_rep rep); /* (mask, then, else) */
lun_snippet lun__vector_live(lun_renderer *r, int bytes);     /* mask of the first `left` lanes */
lun_snippet lun__vector_any(lun_renderer *r, int bytes);
/* (mask, i, frame, instruction, values or 0): records a trap at the first lane of the mask below n;
 * true if there is one. */
lun_snippet lun__vector_note(lun_renderer *r, int bytes);

#endif
