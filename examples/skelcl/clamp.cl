/* What the function in limit.cl needs. */
float clamp_to(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}
