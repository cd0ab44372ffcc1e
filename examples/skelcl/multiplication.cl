/* A file for a skeleton of two Vectors. */
float f(float x, float y)
{
    return x * y;
}
