/* hand.c - OpenCL for the benchmark scripts, as directly as a Lua module can give it: one device,
 * buffers, kernels of a given text. It must not know the engine. Any failure ends the benchmark. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <lauxlib.h>
#include <lua.h>

enum { BUFFERS = 64, DEVICES = 64 };

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_device_id device;
static cl_mem buffers[BUFFERS];
static int buffer_count;

static void check(lua_State *L, const char *call, cl_int code)
{
    if (code != CL_SUCCESS)
        luaL_error(L, "hand: %s: error %d", call, (int)code);
}

/* The device of that number, in the order in which the backend counts them. */
static cl_device_id find(lua_State *L, int wanted)
{
    static const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                           CL_DEVICE_TYPE_CPU};
    cl_platform_id platforms[DEVICES];
    cl_uint count = 0;
    check(L, "clGetPlatformIDs", clGetPlatformIDs(DEVICES, platforms, &count));
    for (int t = 0; t < 3; t++)
        for (cl_uint p = 0; p < count; p++) {
            cl_device_id ids[DEVICES];
            cl_uint found = 0;
            if (clGetDeviceIDs(platforms[p], types[t], DEVICES, ids, &found) != CL_SUCCESS)
                continue;
            if (wanted <= (int)found)
                return ids[wanted - 1];
            wanted -= (int)found;
        }
    luaL_error(L, "hand: no such device");
    return NULL;
}

/* open(number, text, options): gives the device's name, and whether it is a processor. */
static int hand_open(lua_State *L)
{
    const char *text = luaL_checkstring(L, 2), *options = luaL_checkstring(L, 3);
    char name[256] = "", log[8192] = "";
    cl_device_type type = 0;
    cl_uint units = 1;
    cl_int code;
    device = find(L, (int)luaL_checkinteger(L, 1));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(L, "clCreateContext", code);
    queue = clCreateCommandQueue(context, device, 0, &code);
    check(L, "clCreateCommandQueue", code);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    lua_pushfstring(L, "%s -DCPU=%d", options, type & CL_DEVICE_TYPE_CPU ? 1 : 0);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check(L, "clCreateProgramWithSource", code);
    code = clBuildProgram(program, 1, &device, lua_tostring(L, -1), NULL, NULL);
    if (code != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        return luaL_error(L, "hand: %s", log);
    }
    lua_pushstring(L, name);
    lua_pushboolean(L, (type & CL_DEVICE_TYPE_CPU) != 0);
    lua_pushinteger(L, (lua_Integer)units);
    return 3;
}

static cl_mem buffer_at(lua_State *L, int index)
{
    lua_Integer i = luaL_checkinteger(L, index);
    luaL_argcheck(L, i >= 1 && i <= buffer_count, index, "no such buffer");
    return buffers[i - 1];
}

/* buffer(bytes | string): gives its number. */
static int hand_buffer(lua_State *L)
{
    cl_int code;
    size_t bytes;
    const char *from = NULL;
    if (lua_type(L, 1) == LUA_TSTRING)
        from = luaL_checklstring(L, 1, &bytes);
    else
        bytes = (size_t)luaL_checkinteger(L, 1);
    luaL_argcheck(L, buffer_count < BUFFERS, 1, "too many buffers");
    buffers[buffer_count] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    check(L, "clCreateBuffer", code);
    if (from)
        check(L, "clEnqueueWriteBuffer",
              clEnqueueWriteBuffer(queue, buffers[buffer_count], CL_TRUE, 0, bytes, from, 0, NULL,
                                   NULL));
    lua_pushinteger(L, ++buffer_count);
    return 1;
}

/* free(): all buffers. */
static int hand_free(lua_State *L)
{
    check(L, "clFinish", clFinish(queue));
    while (buffer_count)
        clReleaseMemObject(buffers[--buffer_count]);
    return 0;
}

/* read(buffer, offset, bytes): a string; waits for everything before. */
static int hand_read(lua_State *L)
{
    luaL_Buffer b;
    cl_mem from = buffer_at(L, 1);
    size_t offset = (size_t)luaL_checkinteger(L, 2), bytes = (size_t)luaL_checkinteger(L, 3);
    char *to = luaL_buffinitsize(L, &b, bytes);
    check(L, "clEnqueueReadBuffer",
          clEnqueueReadBuffer(queue, from, CL_TRUE, offset, bytes, to, 0, NULL, NULL));
    luaL_pushresultsize(&b, bytes);
    return 1;
}

/* copy(from, to, bytes): on the device, waits for its end. */
static int hand_copy(lua_State *L)
{
    check(L, "clEnqueueCopyBuffer",
          clEnqueueCopyBuffer(queue, buffer_at(L, 1), buffer_at(L, 2), 0, 0,
                              (size_t)luaL_checkinteger(L, 3), 0, NULL, NULL));
    check(L, "clFinish", clFinish(queue));
    return 0;
}

/* run(name, global, local, format, ...): format has a letter for each argument: b a buffer, l a
 * long, f a float. Does not wait. Kernels are kept in the registry by name. */
static int hand_run(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1), *format = luaL_checkstring(L, 4);
    size_t global = (size_t)luaL_checkinteger(L, 2), local = (size_t)luaL_checkinteger(L, 3);
    cl_int code;
    cl_kernel kernel;
    lua_getfield(L, LUA_REGISTRYINDEX, name);
    kernel = lua_touserdata(L, -1);
    if (!kernel) {
        kernel = clCreateKernel(program, name, &code);
        check(L, "clCreateKernel", code);
        lua_pushlightuserdata(L, kernel);
        lua_setfield(L, LUA_REGISTRYINDEX, name);
    }
    for (int i = 0; format[i]; i++) {
        cl_mem m;
        int64_t l;
        float f;
        if (format[i] == 'b') {
            m = buffer_at(L, 5 + i);
            code = clSetKernelArg(kernel, (cl_uint)i, sizeof m, &m);
        } else if (format[i] == 'l') {
            l = luaL_checkinteger(L, 5 + i);
            code = clSetKernelArg(kernel, (cl_uint)i, sizeof l, &l);
        } else {
            f = (float)luaL_checknumber(L, 5 + i);
            code = clSetKernelArg(kernel, (cl_uint)i, sizeof f, &f);
        }
        check(L, "clSetKernelArg", code);
    }
    check(L, "clEnqueueNDRangeKernel",
          clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    return 0;
}

extern int luaopen_hand(lua_State *L);
int luaopen_hand(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"open", hand_open}, {"buffer", hand_buffer}, {"free", hand_free}, {"read", hand_read},
        {"copy", hand_copy}, {"run", hand_run},       {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
