/* A file for a skeleton: the entry is called f; helpers and includes stand beside it. */
#include "clamp.cl"

float f(float x, float limit)
{
    return clamp_to(x, -limit, limit);
}
