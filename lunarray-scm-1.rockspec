-- luarocks make: builds the module for Lua 5.4 by make and installs it. The Lua files are embedded.
rockspec_format = "3.0"
package = "lunarray"
version = "scm-1"
source = {
    url = "file://.",
}
description = {
    summary = "Lazy arrays that run as fused kernels",
    detailed = [[
Vectors and Views, operators, skeletons (map, zip, reduce, scan) and plain Lua functions combine to
expressions that run as one kernel, on the processor's cores or a GPU.]],
    license = "MIT",
    labels = { "array", "parallel", "numeric" },
}
supported_platforms = { "linux" }
dependencies = {
    "lua >= 5.4, < 5.5",
}
external_dependencies = {
    XXHASH = { header = "xxhash.h" },
    HWLOC = { header = "hwloc.h" },
    OPENCL = { header = "CL/cl.h" },
    PNG = { header = "png.h" },
    ZLIB = { header = "zlib.h" },
}
build = {
    type = "make",
    build_target = "module",
    install_target = "install-module",
    variables = {
        CC = "$(CC)",
        CFLAGS = "$(CFLAGS)",
        LUA_INCDIR = "$(LUA_INCDIR)",
        LUA_CMOD = "$(LIBDIR)",
        CPPFLAGS = "-I$(XXHASH_INCDIR) -I$(HWLOC_INCDIR) -I$(OPENCL_INCDIR) -I$(PNG_INCDIR) -I$(ZLIB_INCDIR)",
        LDFLAGS = "-L$(XXHASH_LIBDIR) -L$(HWLOC_LIBDIR) -L$(PNG_LIBDIR) -L$(ZLIB_LIBDIR)",
    },
}
