/* stop_checks.h - loops of a C text ask in each round whether the launch shall end.
 *
 * Finds conditions of loops and writes around their tokens. */
#ifndef LUN_STOP_CHECKS_H
#define LUN_STOP_CHECKS_H

#include "ctext/edits.h"
#include "ctext/token/names.h"
#include "ctext/token/source_text.h"
#include "ctext/token/top_level.h"

/* Edits the text; *asks: some loop asks.
 *
 *   while (c)          becomes  while ((c) LUN_ASK(return 0))
 *   for (a; b; c)      becomes  for (a; (b) LUN_ASK_FOR(return 0); c)
 *   goto l;            becomes  { LUN_JUMP(return 0) goto l; }     where it may lead back
 *
 * so that the function ends at once, and so does each that called it: behind each call stands `if
 * (LUN_STOPPED) return 0`, and no statement sees what a loop left undone.  LUN_STOPPED stays true
 * once it is.  Where c and b do nothing and the body has no break, some rounds that do not ask are
 * a loop within, with which compilers do what they did before:
 *
 *   while ((c) LUN_ASK(return 0)) LUN_ROUNDS(c)
 *   for (a; (b) LUN_ASK_FOR(return 0); LUN_STEP(c)) LUN_STEPS(b, c)
 *
 * A `for` without b or c asks by LUN_ASK.
 *
 * checked: the text has checks, which go on with a harmless value; its loops end at a failed one,
 * by LUN_ASK_CHECKED, LUN_ASK_FOR_CHECKED and LUN_JUMP_CHECKED.
 *
 * Loops in the definition of a macro ask if all of the loop's head stands there and every function
 * of the text has a number for its result.  Not asked: jumps in a macro, loops cut by an #if, and a
 * `for` that counts by a literal to a literal in few rounds.  If a function cannot be left so,
 * having another result than a number or nothing, or being called in a macro, only loops of the
 * entry ask.  LUN_ENOMEM. */
lun_status lun__cstop_checks_find(bool *asks, lun_cedits *edits, const lun_csource *s,
                                  const lun_cunits *units, const lun_cnames *names, int entry,
                                  bool checked);

#endif
