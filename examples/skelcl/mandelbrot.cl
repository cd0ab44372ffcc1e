#include "mandelbrot.h"

Pixel f(Position p, float startx, float starty, float dx, float dy)
{
    const int rounds = 100;
    const float cx = startx + p.x * dx, cy = starty + p.y * dy;
    float x = 0, y = 0;
    int n = 0;
    while (n < rounds && x * x + y * y < 4) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        n++;
    }
    Pixel pixel = {0, 0, 0};
    if (n < rounds) {
        pixel.red = (unsigned char)(n * 255 / rounds);
        pixel.green = (unsigned char)(n * 5 % 256);
        pixel.blue = (unsigned char)(255 - pixel.red);
    }
    return pixel;
}
