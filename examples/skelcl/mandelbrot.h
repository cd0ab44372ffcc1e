/* What mandelbrot.cl and mandelbrot.lua share. */
typedef struct {
    float x, y;
} Position;

typedef struct {
    unsigned char red, green, blue;
} Pixel;
