/* png.c - PNG images as bytes, by libpng: internal.png_decode and internal.png_encode, for
 * lua/lunarray/format/png.lua. libpng fails by longjmp, so one userdata owns all memory, and no
 * function of Lua is called meanwhile. Knows neither files nor arrays. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "bind/host/bind.h"

/* The most bytes that deflate packs into one; a larger image cannot be in its file. */
#define MOST_RATIO 1032

typedef struct job {
    jmp_buf failed;
    char message[128];
    bool ended_early; /* the input */
    png_structp png;
    png_infop info;
    const unsigned char *from; /* input, and what is left of it */
    size_t left;
    unsigned char *bytes; /* output */
    size_t length, room;
    png_bytep *rows;
    png_uint_32 width, height;
    int channels, depth; /* depth: 8 or 16 bits */
} job;

/* ---- what libpng calls ----------------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp text)
{
    job *j = png_get_error_ptr(png);
    snprintf(j->message, sizeof j->message, "%s", text);
    longjmp(j->failed, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void on_read(png_structp png, png_bytep to, png_size_t n)
{
    job *j = png_get_io_ptr(png);
    if (n > j->left) {
        j->ended_early = true;
        png_error(png, "the file ends early");
    }
    memcpy(to, j->from, n);
    j->from += n;
    j->left -= n;
}

static void on_write(png_structp png, png_bytep from, png_size_t n)
{
    job *j = png_get_io_ptr(png);
    if (n > j->room - j->length) {
        size_t room = j->room + j->room / 2 + n + 4096;
        unsigned char *larger = room > n ? realloc(j->bytes, room) : NULL;
        if (!larger)
            png_error(png, "not enough memory");
        j->bytes = larger;
        j->room = room;
    }
    memcpy(j->bytes + j->length, from, n);
    j->length += n;
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Memory for the image and pointers to its rows. */
static void make_room(job *j)
{
    size_t row = (size_t)j->width * (size_t)j->channels * (size_t)(j->depth / 8);
    if (__builtin_mul_overflow(row, (size_t)j->height, &j->length))
        png_error(j->png, "the image is too large");
    j->bytes = malloc(j->length ? j->length : 1);
    j->rows = malloc((size_t)j->height * sizeof *j->rows);
    if (!j->bytes || !j->rows)
        png_error(j->png, "not enough memory");
    for (png_uint_32 y = 0; y < j->height; y++)
        j->rows[y] = j->bytes + y * row;
}

/* Sets libpng's transformations: no palette, samples of whole bytes, transparency as a channel, 16
 * bits little-endian, as the machine has them. */
static void choose_form(job *j)
{
    png_byte type = png_get_color_type(j->png, j->info);
    if (type == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(j->png);
    if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(j->png, j->info) < 8)
        png_set_expand_gray_1_2_4_to_8(j->png);
    if (png_get_valid(j->png, j->info, PNG_INFO_tRNS))
        png_set_tRNS_to_alpha(j->png);
    if (png_get_bit_depth(j->png, j->info) == 16)
        png_set_swap(j->png);
    png_set_interlace_handling(j->png);
    png_read_update_info(j->png, j->info);
    j->channels = png_get_channels(j->png, j->info);
    j->depth = png_get_bit_depth(j->png, j->info);
}

/* Decodes the input; false with the message. */
static bool decode(job *j)
{
    size_t file = j->left;
    if (setjmp(j->failed))
        return false;
    j->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, j, on_error, on_warning);
    j->info = j->png ? png_create_info_struct(j->png) : NULL;
    if (!j->info) {
        snprintf(j->message, sizeof j->message, "not enough memory");
        return false;
    }
    png_set_read_fn(j->png, j, on_read);
    png_set_crc_action(j->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_read_info(j->png, j->info);
    j->width = png_get_image_width(j->png, j->info);
    j->height = png_get_image_height(j->png, j->info);
    if ((double)png_get_rowbytes(j->png, j->info) * (double)j->height >
        (double)file * MOST_RATIO + 4096) {
        j->ended_early = true;
        png_error(j->png, "the file is too short for its image");
    }
    choose_form(j);
    make_room(j);
    png_read_image(j->png, j->rows);
    png_read_end(j->png, NULL);
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool encode(job *j)
{
    static const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    size_t row = (size_t)j->width * (size_t)j->channels * (size_t)(j->depth / 8);
    if (setjmp(j->failed))
        return false;
    j->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, j, on_error, on_warning);
    j->info = j->png ? png_create_info_struct(j->png) : NULL;
    if (!j->info) {
        snprintf(j->message, sizeof j->message, "not enough memory");
        return false;
    }
    png_set_write_fn(j->png, j, on_write, on_flush);
    png_set_IHDR(j->png, j->info, j->width, j->height, j->depth, types[j->channels],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(j->png, j->info);
    if (j->depth == 16)
        png_set_swap(j->png);
    for (png_uint_32 y = 0; y < j->height; y++)
        png_write_row(j->png, j->from + y * row);
    png_write_end(j->png, NULL);
    return true;
}

/* ---- for Lua --------------------------------------------------------------------------------- */

/* The finaliser: frees what is left, also after an error. */
static int end_job(lua_State *L)
{
    job *j = lua_touserdata(L, 1);
    free(j->bytes);
    free(j->rows);
    j->bytes = NULL;
    j->rows = NULL;
    return 0;
}

static job *new_job(lua_State *L)
{
    job *j = lua_newuserdatauv(L, sizeof *j, 0);
    memset(j, 0, sizeof *j);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, end_job);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    return j;
}

/* Pushes nil, message, code. */
static int push_failure(lua_State *L, const job *j, const char *code)
{
    lua_pushnil(L);
    lua_pushstring(L, j->message);
    lua_pushstring(L, code);
    return 3;
}

/* png_decode(text): bytes, height, width, channels, bits of a sample; or nil, message, code. */
static int png_decode(lua_State *L)
{
    size_t length = 0;
    const char *text = luaL_checklstring(L, 1, &length);
    job *j = new_job(L);
    j->from = (const unsigned char *)text;
    j->left = length;
    if (length < 8 || png_sig_cmp(j->from, 0, 8) != 0) {
        snprintf(j->message, sizeof j->message, "not a PNG image: it has no PNG signature");
        return push_failure(L, j, "format");
    }
    bool ok = decode(j);
    png_destroy_read_struct(&j->png, &j->info, NULL);
    if (!ok)
        return push_failure(L, j, j->ended_early ? "short" : "format");
    if (j->left > 0) {
        snprintf(j->message, sizeof j->message, "the file is too long: %zu bytes follow the image",
                 j->left);
        return push_failure(L, j, "long");
    }
    lua_pushlstring(L, (const char *)j->bytes, j->length);
    lua_pushinteger(L, j->height);
    lua_pushinteger(L, j->width);
    lua_pushinteger(L, j->channels);
    lua_pushinteger(L, j->depth);
    free(j->bytes);
    j->bytes = NULL;
    return 5;
}

/* png_encode(bytes, height, width, channels, bits): the file's bytes; or nil, message. */
static int png_encode(lua_State *L)
{
    size_t length = 0;
    const char *bytes = luaL_checklstring(L, 1, &length);
    lua_Integer height = luaL_checkinteger(L, 2), width = luaL_checkinteger(L, 3);
    lua_Integer channels = luaL_checkinteger(L, 4), depth = luaL_checkinteger(L, 5);
    luaL_argcheck(L, height > 0 && height <= PNG_UINT_31_MAX, 2, "not from 1 to 2^31 - 1");
    luaL_argcheck(L, width > 0 && width <= PNG_UINT_31_MAX, 3, "not from 1 to 2^31 - 1");
    luaL_argcheck(L, channels >= 1 && channels <= 4, 4, "not from 1 to 4");
    luaL_argcheck(L, depth == 8 || depth == 16, 5, "neither 8 nor 16");
    double needed = (double)height * (double)width * (double)(channels * (depth / 8));
    luaL_argcheck(L, (double)length == needed, 1, "the bytes do not fit the size");
    job *j = new_job(L);
    j->from = (const unsigned char *)bytes;
    j->width = (png_uint_32)width;
    j->height = (png_uint_32)height;
    j->channels = (int)channels;
    j->depth = (int)depth;
    bool ok = encode(j);
    png_destroy_write_struct(&j->png, &j->info);
    if (!ok)
        return push_failure(L, j, "format");
    lua_pushlstring(L, (const char *)j->bytes, j->length);
    free(j->bytes);
    j->bytes = NULL;
    return 1;
}

void lun__open_png(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {
        {"png_decode", png_decode}, {"png_encode", png_encode}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
