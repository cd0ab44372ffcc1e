# Builds the engine, the program and the Lua module. Everything made lands in build/.
#
#   make            the program, the C library and the module for stock Lua 5.4
#   make run        set-up, build, then the weather example
#   make test       set-up, build, every suite in one configuration; the last line is "N passed, N failed"
#   make test-all   all suites on all backends, long ones too, and the program for arm64
#   make help       all targets
#
# Sources are found by name: a new file in a room needs no line here.

# Only the rules below: make's own would try to link the lists of dependencies.
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:

# ---------------------------------------------------------------- what can be set
# make CC=clang, make BUILD=/tmp/x, make PREFIX=/usr DESTDIR=/tmp/root install ...
# WERROR=-Werror: warnings are errors, as the tests have them.
ifeq ($(origin CC),default)
CC := $(if $(shell command -v gcc 2>/dev/null),gcc,cc)
endif
CLANG      ?= clang
BUILD      ?= build
PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
MANDIR     ?= $(PREFIX)/share/man
INCLUDEDIR ?= $(PREFIX)/include
LUA_CMOD   ?= $(LIBDIR)/lua/5.4
OPT        ?= -O2 -g1
LOOPS_OPT  ?= -O3
SANITIZE   ?=
WERROR     ?=
# The machine that is built for.
MACHINE    := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))

# Lua 5.4's headers; only interp/ is given this path.
ifndef LUA_INCDIR
LUA_INCDIR := $(firstword $(patsubst %/lua.h,%,$(shell grep -ls 'LUA_VERSION_NUM[[:space:]]*504' \
    /usr/include/lua5.4/lua.h /usr/local/include/lua5.4/lua.h /usr/include/lua.h /usr/local/include/lua.h)))
endif
# Distributions name its library differently.
ifndef LUA_LIB
LUA_LIB    := -l$(firstword $(foreach name,lua5.4 lua-5.4 lua54 lua,$(if \
    $(filter /%,$(shell $(CC) -print-file-name=lib$(name).so 2>/dev/null)),$(name))) lua5.4)
endif
NM         ?= $(shell $(CC) -print-prog-name=nm)
OBJCOPY    ?= $(shell $(CC) -print-prog-name=objcopy)
READELF    ?= $(shell $(CC) -print-prog-name=readelf)

# The line editor of the prompt, for the program alone; without it the prompt takes plain lines.
LIBEDIT    ?= $(if $(wildcard /usr/include/histedit.h /usr/local/include/histedit.h),-ledit)

# ---------------------------------------------------------------- flags
comma   := ,
# Constants are enumerators, which double holds exactly.
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wno-enum-float-conversion -Wstrict-prototypes \
           -Wmissing-prototypes -Wpointer-arith -Wundef $(WERROR)
CFLAGS_ALL := -std=gnu11 $(OPT) -fPIC -fvisibility=hidden -fwrapv -ffp-contract=off \
           $(SANITIZE) $(WARN) $(CPPFLAGS) $(CFLAGS)
LDFLAGS_ALL := $(SANITIZE) -Wl,--as-needed $(LDFLAGS)
# A library that was loaded stays: libgomp's threads, which run on in it, would lose their code.
RESIDENT := -Wl,-z,nodelete
# Of libraries: they have no longjmp of Lua's to rename.
LDFLAGS_TOOL = $(filter-out -Wl$(comma)--defsym%,$(LDFLAGS_ALL))
LIBS    := -lxxhash -lhwloc -lpng -lz -lm -ldl -lpthread

# The program carries the whole of Lua where there is an archive, as the stock interpreter does.
LUA_ARCHIVE := $(filter /%,$(shell $(CC) -print-file-name=liblua5.4.a 2>/dev/null))
PROGRAM_LUA := $(if $(LUA_ARCHIVE),-Wl$(comma)--whole-archive $(LUA_ARCHIVE) -Wl$(comma)--no-whole-archive,$(LUA_LIB))

# OpenMP's runtime. libgomp reads its environment in its constructor, so the program, which limits
# the spinning of idle threads there, carries it as a static archive that is initialised after the
# program's own constructor. Its symbols stay hidden from other libraries that use OpenMP.
LIBGOMP_A := $(filter /%,$(shell $(CC) -print-file-name=libgomp.a 2>/dev/null))
OPENMP    := -fopenmp
ifeq ($(findstring clang,$(CC)),)
PROGRAM_OPENMP := $(if $(LIBGOMP_A),-Wl$(comma)--exclude-libs$(comma)libgomp.a $(LIBGOMP_A),$(OPENMP))
else
PROGRAM_OPENMP := $(OPENMP)
endif

# What each room may see. prims/ and backends/ get no path to Lua's headers.
INC_prims    = -Iprims -I$(GEN)
INC_backends = -Iprims -Ibackends -I$(GEN)
INC_interp   := -Iprims -Iinterp -isystem $(LUA_INCDIR) $(if $(LIBEDIT),-DLUN_LIBEDIT)

# ---------------------------------------------------------------- sources and objects
OBJ     := $(BUILD)/obj
GEN     := $(BUILD)/gen

# Compiled once per instruction set: the interpreter's loops, tiles of matrix products.
LOOPS   := backends/reference/instruction_loops.c backends/product/tile.c
ifeq ($(MACHINE),x86_64)
ISAS    := base avx2 avx512
else
ISAS    := base
endif
ISA_base   := -DLUN_ISA=base
ISA_avx2   := -DLUN_ISA=avx2 -march=x86-64-v3
ISA_avx512 := -DLUN_ISA=avx512 -march=x86-64-v4 -mprefer-vector-width=512

sources = $(shell find $(1) -name '*.c' | LC_ALL=C sort)
EXAMPLE_SRC := $(call sources,backends/example)
ENGINE_SRC  := $(filter-out $(LOOPS) $(EXAMPLE_SRC),$(call sources,prims backends))
PROGRAM_SRC := $(call sources,interp/program)
FIND_SRC    := $(call sources,interp/lua_library)
INTERP_SRC  := $(filter-out $(PROGRAM_SRC) $(FIND_SRC),$(call sources,interp))
ALL_SRC     := $(ENGINE_SRC) $(PROGRAM_SRC) $(INTERP_SRC) $(FIND_SRC)
LUA_SRC     := $(wildcard lua/lunarray/*.lua lua/lunarray/*/*.lua)

LOOPS_OBJ   := $(foreach source,$(LOOPS:%.c=$(OBJ)/%),$(ISAS:%=$(source)_%.o))
PROGRAM_OBJ := $(PROGRAM_SRC:%.c=$(OBJ)/%.o)
LIB_OBJ     := $(ENGINE_SRC:%.c=$(OBJ)/%.o) $(LOOPS_OBJ) $(INTERP_SRC:%.c=$(OBJ)/%.o) \
               $(OBJ)/gen/embedded.o

# How the shared library finds Lua: interp/lua_library/find.c.
FIND_OBJ    := $(FIND_SRC:%.c=$(OBJ)/%.o) $(OBJ)/interp/lua_library/trampolines.o

PROGRAM := $(BUILD)/lunarray
SHARED  := $(BUILD)/liblunarray.so.0
STATIC  := $(BUILD)/liblunarray.a
OBJECTS := $(BUILD)/objects.a
MODULE  := $(BUILD)/lunarray.so

# A plug-in: it is linked with what it calls of base, table and ir, and takes nothing of its host.
EXAMPLE := $(BUILD)/example.so

.PHONY: all
all: $(PROGRAM) $(SHARED) $(BUILD)/liblunarray.so $(STATIC) $(MODULE) $(EXAMPLE)

# ---------------------------------------------------------------- compiling
# A change of this file (flags) rebuilds everything.
COMPILE = @mkdir -p $(@D) && echo "  cc  $<" && $(CC) $(CFLAGS_ALL) $(1) -MMD -MP -c -o $@ $<

$(OBJ)/prims/api/engine/plugins.o: prims/api/engine/plugins.c $(GEN)/backend_abi.h Makefile
	$(call COMPILE,$(INC_prims))
$(OBJ)/prims/%.o: prims/%.c Makefile
	$(call COMPILE,$(INC_prims))
$(OBJ)/prims/math/op_cell.o: prims/math/op_cell.c $(GEN)/loops_each.h Makefile
	$(call COMPILE,$(INC_prims))
$(OBJ)/prims/math/scalar_sequence.o: prims/math/scalar_sequence.c $(GEN)/math_all.h Makefile
	$(call COMPILE,$(INC_prims) -Os -fno-tree-vectorize -fno-tree-slp-vectorize)
$(OBJ)/prims/math/sequence.o: prims/math/sequence.c $(GEN)/math_texts.h Makefile
	$(call COMPILE,$(INC_prims))
$(OBJ)/backends/example/%.o: backends/example/%.c $(GEN)/backend_abi.h Makefile
	$(call COMPILE,$(INC_backends))

$(OBJ)/backends/openmp/%.o: backends/openmp/%.c Makefile
	$(call COMPILE,$(INC_backends) -fopenmp)

# Loops over elements, which become vectors of what every machine has.
$(OBJ)/backends/algorithms/%.o: backends/algorithms/%.c Makefile
	$(call COMPILE,$(INC_backends) $(LOOPS_OPT))

$(OBJ)/backends/%.o: backends/%.c Makefile
	$(call COMPILE,$(INC_backends))

LOOPS_FLAGS = $(INC_backends) $(LOOPS_OPT) -fno-math-errno -fno-trapping-math $(ISA_$*)
$(OBJ)/backends/reference/instruction_loops_%.o: backends/reference/instruction_loops.c $(GEN)/loops_each.h $(GEN)/math_all.h Makefile
	$(call COMPILE,$(LOOPS_FLAGS))
$(OBJ)/backends/product/tile_%.o: backends/product/tile.c Makefile
	$(call COMPILE,$(LOOPS_FLAGS))

NEED_LUA = $(if $(LUA_INCDIR),,$(error Lua 5.4's headers are missing: 'make check-deps' names what to install, LUA_INCDIR= where they are))
$(OBJ)/interp/lua_library/%.o: interp/lua_library/%.c $(GEN)/lua_names.h $(GEN)/lua_soname.h Makefile
	$(call COMPILE,$(INC_interp) -I$(GEN))
$(OBJ)/interp/lua_library/%.o: interp/lua_library/%.S $(GEN)/lua_names.h Makefile
	@mkdir -p $(@D) && echo "  as  $<" && $(CC) -I$(GEN) -MMD -MP -c -o $@ $<
$(OBJ)/interp/%.o: interp/%.c Makefile
	$(NEED_LUA)$(call COMPILE,$(INC_interp))

$(OBJ)/gen/%.o: $(GEN)/%.c Makefile
	$(call COMPILE,$(INC_interp))

# The lists of objects and of Lua files, so that a removed file is noticed too.
$(BUILD)/objects.list: FORCE
	@mkdir -p $(@D); echo '$(LIB_OBJ) $(PROGRAM_OBJ)' | cmp -s - $@ || echo '$(LIB_OBJ) $(PROGRAM_OBJ)' > $@
$(BUILD)/lua.list: FORCE
	@mkdir -p $(@D); echo '$(LUA_SRC)' | cmp -s - $@ || echo '$(LUA_SRC)' > $@

# Not where Lua's library is missing, or is another machine's: the text is embedded then.
$(GEN)/compile: lua/compile.c Makefile
	@mkdir -p $(@D); echo "  cc  $<"; rm -f $@; \
	    $(CC) -O1 -isystem $(LUA_INCDIR) $(LDFLAGS) -o $@ $< $(LUA_LIB) -lm -ldl 2>/dev/null || : > $@
$(GEN)/embedded.c: interp/state/embed.sh $(GEN)/compile $(LUA_SRC) $(BUILD)/lua.list
	@mkdir -p $(@D); echo "  gen $@"; sh interp/state/embed.sh $(GEN)/compile $(LUA_SRC) > $@.new && mv $@.new $@

# The interpreter's loops of each dtype: ID, KIND and the file to include, for each PLAIN row of the table.
$(GEN)/loops_each.h: prims/table/dtypes.def Makefile
	@mkdir -p $(@D); echo "  gen $@"; awk -F '[(, ]+' '$$1 == "LUN_DTYPE" && $$11 == "PLAIN" { \
	    print "#define ID " $$2 "\n#define KIND " $$7 "\n#include LOOPS_OF" }' $< >$@

# The sequences of prims/math as strings, without their comments, and as includes.
MATH_TEXTS := prims/math/gnu_words.h prims/math/cl_words.h $(sort $(wildcard prims/math/sequences/*.seq))
$(GEN)/math_texts.h: prims/math/quote.sh $(MATH_TEXTS) Makefile
	@mkdir -p $(@D); echo "  gen $@"; sh prims/math/quote.sh $(MATH_TEXTS) > $@.new && mv $@.new $@
$(GEN)/math_all.h: prims/math/texts.def Makefile
	@mkdir -p $(@D); echo "  gen $@"; sed -n 's/^LUN_MATH_TEXT(\([a-z0-9_]*\),.*/#include "math\/sequences\/\1.seq"/p' $< >$@

# What a plug-in and its host must have alike: a hash of all that backend.h declares.
CONTRACT := $(sort $(wildcard prims/*.h prims/base/*.h prims/base/layout/*.h prims/table/*.h prims/table/*.def prims/ir/*.h prims/ir/*.def))
$(GEN)/backend_abi.h: $(CONTRACT) Makefile
	@mkdir -p $(@D); echo "  gen $@"; printf '#define LUN_BACKEND_ABI %su\n' "$$(cat $(CONTRACT) | cksum | cut -d' ' -f1)" >$@

# The functions of Lua that are called: LUA(lua_gettop) and so on.
$(GEN)/lua_names.h: $(INTERP_SRC:%.c=$(OBJ)/%.o)
	@mkdir -p $(@D); echo "  gen $@"; $(NM) -u $^ | awk '$$1 == "U" { print $$2 }' | LC_ALL=C sort -u | \
	    sed -n '/^luaopen_lunarray/d; s/^lua\(_\|L_\|open_\)[a-zA-Z_]*$$/LUA(&)/p' > $@

# The soname of the system's Lua, "" where the shared library links Lua as it is: there is an archive alone, no jump is known for
# this machine, or sanitizers have to see what is loaded.
PROBE_LUA = printf '%s\n' '\#if defined __LP64__ && (defined __x86_64__ || defined __aarch64__)' \
    'int lua_gettop(void *L); int f(void *L); int f(void *L) { return lua_gettop(L); }' '\#endif' | \
    $(CC) $(LDFLAGS) -shared -fPIC -o $(GEN)/lua_probe.so -x c - -x none $(LUA_LIB) && \
    $(READELF) -d $(GEN)/lua_probe.so | sed -n 's/.*(NEEDED).*\[\(.*lua.*\)\]/\1/p'
$(GEN)/lua_soname.h: Makefile
	@mkdir -p $(@D); echo "  gen $@"; \
	    printf '#define LUN_LUA_SONAME "%s"\n' "$(if $(SANITIZE),,$$($(PROBE_LUA)))" > $@

$(GEN)/exports.map: Makefile
	@mkdir -p $(@D); echo '{ global: lun_*; luaopen_lunarray*; local: *; };' > $@

# The public headers follow the tables: a row that they lack is said before anything is compiled.
HEADER_OK := $(GEN)/header.ok
NEEDS_OK  := $(GEN)/needs.ok
$(HEADER_OK): tests/lint/header.sh prims/lunarray.h prims/lunarray_bind.h $(wildcard prims/table/*.def)
	@mkdir -p $(@D); sh tests/lint/header.sh && touch $@
$(LIB_OBJ) $(PROGRAM_OBJ): | $(HEADER_OK) $(NEEDS_OK)

# So are headers of other libraries that are missing, with the command that installs them.
$(NEEDS_OK): tests/setup.sh
	@mkdir -p $(@D); CC='$(CC)' CPPFLAGS='$(CPPFLAGS) $(CFLAGS)' LUA_INCDIR='$(LUA_INCDIR)' sh tests/setup.sh build && touch $@

# ---------------------------------------------------------------- linking
# The program carries the engine and Lua itself, and exports both to C modules. Ctrl-C has to find
# the coroutine that runs, so Lua's library calls lua_resume through interp/program/protected_call.c.
# Each is linked by a recipe with its path and further flags, for make dist links it again.
LINK_PROGRAM = $(CC) $(LDFLAGS_ALL) -Wl,-E -Wl,--wrap=lua_resume $(2) -o $(1) $(PROGRAM_OBJ) $(LIB_OBJ) \
    $(PROGRAM_LUA) $(PROGRAM_OPENMP) $(LIBEDIT) $(LIBS)
$(PROGRAM): $(PROGRAM_OBJ) $(LIB_OBJ) $(BUILD)/objects.list
	@echo "  ld  $@"; $(call LINK_PROGRAM,$@)

# It takes no names of Lua's from its host, which may have another Lua.
LINK_SHARED = lua='$(FIND_OBJ)'; grep -q '""' $(GEN)/lua_soname.h && lua='$(LUA_LIB)'; \
    $(CC) $(LDFLAGS_TOOL) -shared $(RESIDENT) -Wl,-soname,liblunarray.so.0 $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs) \
    -Wl,--version-script=$(GEN)/exports.map $(2) -o $(1) $(LIB_OBJ) $$lua $(OPENMP) $(LIBS)
$(SHARED): $(LIB_OBJ) $(FIND_OBJ) $(GEN)/exports.map $(BUILD)/objects.list
	@echo "  ld  $@"; $(call LINK_SHARED,$@)

$(BUILD)/liblunarray.so: $(SHARED)
	@ln -sf liblunarray.so.0 $@

# All objects with their internal names, for the tests.
$(OBJECTS): $(LIB_OBJ) $(BUILD)/objects.list
	@echo "  ar  $@"; rm -f $@; $(AR) qcsT $@ $(LIB_OBJ)

# One object, whose only names are the public ones.
$(STATIC): $(LIB_OBJ) $(BUILD)/objects.list
	@echo "  ar  $@"; rm -f $@ && $(CC) -r -nostdlib -o $(OBJ)/lunarray.o $(LIB_OBJ) && \
	    $(OBJCOPY) --localize-hidden $(OBJ)/lunarray.o && $(AR) qcs $@ $(OBJ)/lunarray.o

# The module takes Lua's functions from the interpreter that loads it.
LINK_MODULE = $(CC) $(LDFLAGS_TOOL) -shared $(RESIDENT) -Wl,--version-script=$(GEN)/exports.map $(2) -o $(1) \
    $(LIB_OBJ) $(OPENMP) $(LIBS)
$(MODULE): $(LIB_OBJ) $(GEN)/exports.map $(BUILD)/objects.list
	@echo "  ld  $@"; $(call LINK_MODULE,$@)

# Built against these sources: what it calls of base, table and ir is its own copy.
EXAMPLE_OBJ := $(EXAMPLE_SRC:%.c=$(OBJ)/%.o)
PLUGIN_OBJ  := $(patsubst %.c,$(OBJ)/%.o,$(call sources,prims/base prims/table prims/math prims/ir))
$(EXAMPLE): $(EXAMPLE_OBJ) $(PLUGIN_OBJ)
	@echo "  ld  $@"; $(CC) $(LDFLAGS_TOOL) -shared -Wl,--gc-sections -o $@ $^ -lxxhash -lz -lm -lpthread

# ---------------------------------------------------------------- running and testing
# Both first make sure that everything needed is installed (tests/setup.sh).
# They build on all cores unless make was told how many.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null))
.PHONY: run test test-all check-deps
run:
	@sh tests/setup.sh run
	@$(MAKE) --no-print-directory $(JOBS) all
	@$(PROGRAM) examples/weather.lua examples/data/seattle-weather.csv

test:
	@sh tests/setup.sh test || { echo "0 passed, 1 failed"; exit 1; }
	@MAKE='$(MAKE) $(JOBS)' BUILD='$(BUILD)' sh tests/run.sh

test-all:
	@sh tests/setup.sh test || { echo "0 passed, 1 failed"; exit 1; }
	@MAKE='$(MAKE) $(JOBS)' BUILD='$(BUILD)' WHOLE=1 sh tests/run.sh build syntax lint bits core spec torture arm64

check-deps:
	@sh tests/setup.sh check && echo "everything is there"

include tests/tests.mk

include packaging/install.mk

.PHONY: clean help
clean:
	rm -rf build

help:
	@printf '%s\n' \
	    'all          the program, the C library, the module for stock Lua 5.4 (the default)' \
	    'run          set-up, build, examples/weather.lua on its data' \
	    'test         set-up, build, every suite; ends with "N passed, N failed"' \
	    'asan tsan    the C tests and specs in an instrumented build' \
	    'fuzz         random Lua functions on every backend (FUZZ_SECONDS, FUZZ_SEED)' \
    'torture      stress and fault-injection tests (TORTURE: the size, 1 is full)' \
    'array-api    the suite of the Array API standard, on three backends (SUITE=/path/to/array-api-tests)' \
    'machines     the C tests and specs on four simulated machines: vectors, threads, caches' \
    'apicheck     the specs with a Lua that checks the use of its C interface' \
    'bits         the digest of 100,000 generated programs, by each level of instructions (bits-arm64: emulated;' \
    '             bits-f32: all arguments of the functions, for a night)' \
    'coverage     lines and branches that the tests reach, by gcovr' \
    'lint format  the style checks; clang-format over every C file' \
    'docs         write what the examples print, and the reference, into docs/' \
	    'check-deps   say what is missing and how to install it' \
	    'bench        the benchmarks (bench-quick: a short run; bench-gpu: on an OpenCL device)' \
    'accuracy     errors of the functions in ULP, by MPFR, into docs/accuracy.md (20 minutes)' \
    'oclgrind     the OpenCL specs on a device that reports wrong accesses and races' \
	    'install uninstall   with PREFIX and DESTDIR' \
	    'dist         an archive that runs from any folder and needs glibc alone' \
	    'clean        remove build/'

.PHONY: FORCE
FORCE:

%.d: ;
-include $(shell find $(OBJ) $(BUILD)/syntax -name '*.d' 2>/dev/null)
