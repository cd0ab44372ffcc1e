# Tests, sanitizers, fuzzing, coverage, linters, documentation and benchmarks; included by the Makefile, whose variables and
# rules for objects it uses.

# C tests: every tests/core/ROOM/NAME_test.c becomes one program, build/tests/NAME_test.
CORE_SRC   := $(wildcard tests/core/*/*_test.c)
CORE_TESTS := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(CORE_SRC)))
.PHONY: core-tests
core-tests: $(CORE_TESTS) $(BUILD)/tests/libm.so $(BUILD)/tests/pty $(BUILD)/tests/shim/libOpenCL.so.1 \
    $(BUILD)/tests/shim/few_threads.so

# What the difference tests measure with: the C library's functions as a Lua module.
$(BUILD)/tests/libm.so: tests/diff/libm.c Makefile
	@mkdir -p $(@D); echo "  cc  $<"
	@$(CC) $(CFLAGS_ALL) -isystem $(LUA_INCDIR) $(LDFLAGS_TOOL) -shared -o $@ $< -lm

# What drives the program at a pseudo terminal.
$(BUILD)/tests/pty: tests/pty.c Makefile
	@mkdir -p $(@D); echo "  cc  $<"; $(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $<

# An OpenCL library that fails on demand, in front of the real one.
$(BUILD)/tests/shim/libOpenCL.so.1: tests/shim/cl_faults.c Makefile
	@mkdir -p $(@D); echo "  cc  $<"
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_TOOL) -shared -o $@ $< -ldl

# Preloaded into compilers too: without sanitizers.
$(BUILD)/tests/shim/few_threads.so: tests/shim/few_threads.c Makefile
	@mkdir -p $(@D); echo "  cc  $<"
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_TOOL) -fno-sanitize=all -fvisibility=default -shared -o $@ $< -ldl

# To cmocka 2 some names of cmocka 1 are deprecated.
INC_tests = $(INC_backends) -Iinterp -Itests/core -isystem $(LUA_INCDIR) -Wno-deprecated-declarations
vpath %_test.c $(sort $(dir $(CORE_SRC)))
$(OBJ)/tests/%.o: %.c Makefile
	$(call COMPILE,$(INC_tests) $(OPENMP))

$(BUILD)/tests/%: $(OBJ)/tests/%.o $(OBJECTS)
	@mkdir -p $(@D); echo "  ld  $@"
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(REPLACED) $(OBJECTS) -lcmocka $(LUA_LIB) $(OPENMP) $(LIBS)
$(OBJ)/tests/example_test.o: $(GEN)/backend_abi.h
$(BUILD)/tests/example_test: | $(EXAMPLE)
.SECONDARY: $(CORE_TESTS:$(BUILD)/tests/%=$(OBJ)/tests/%.o)

# growth_test counts the basic blocks that these rooms run: how their work grows is no matter of speed.
COUNTED     := $(addprefix prims/,base engine eval graph ir kernels launch plan schedule steps store) interp/luafn
COUNTED_OBJ := $(patsubst %.c,$(OBJ)/counted/%.o,$(filter $(addsuffix /%,$(COUNTED)),$(ENGINE_SRC) $(INTERP_SRC)))
COUNT_FLAGS := -fsanitize-coverage=trace-pc
$(OBJ)/counted/prims/%.o: prims/%.c Makefile
	$(call COMPILE,$(INC_prims) $(COUNT_FLAGS))
$(OBJ)/counted/interp/%.o: interp/%.c Makefile
	$(call COMPILE,$(INC_interp) $(COUNT_FLAGS))
$(BUILD)/tests/growth_test: $(COUNTED_OBJ)
$(BUILD)/tests/growth_test: REPLACED = $(COUNTED_OBJ)

# versions_test has a library with one version of the bits more: tests/core/next lies before prims, and what reads its tables is
# compiled once more.
NEXT      := tests/core/next
NEXT_GEN  := $(BUILD)/gen/next
NEXT_SRC  := $(wildcard prims/math/*.c backends/reference/*.c)
NEXT_OBJ  := $(patsubst %.c,$(OBJ)/next/%.o,$(filter-out $(LOOPS),$(NEXT_SRC))) \
    $(ISAS:%=$(OBJ)/next/backends/reference/instruction_loops_%.o)
NEXT_INC  := -I$(NEXT) -I$(NEXT_GEN) $(INC_backends)
NEXT_TEXT := $(wildcard $(NEXT)/math/sequences/*.seq)
$(NEXT_GEN)/math_texts.h: prims/math/quote.sh $(MATH_TEXTS) $(NEXT_TEXT) Makefile
	@mkdir -p $(@D); sh prims/math/quote.sh $(MATH_TEXTS) $(NEXT_TEXT) > $@.new && mv $@.new $@
$(NEXT_GEN)/math_all.h: prims/math/texts.def $(NEXT)/math/texts.def Makefile
	@mkdir -p $(@D); cat $(filter %.def,$^) | sed -n 's/^LUN_MATH_TEXT(\([a-z0-9_]*\),.*/#include "math\/sequences\/\1.seq"/p' >$@
$(NEXT_OBJ): | $(NEXT_GEN)/math_texts.h $(NEXT_GEN)/math_all.h $(GEN)/loops_each.h
$(OBJ)/next/backends/reference/instruction_loops_%.o: backends/reference/instruction_loops.c Makefile
	$(call COMPILE,-I$(NEXT) -I$(NEXT_GEN) $(LOOPS_FLAGS) -O1)
$(OBJ)/next/%.o: %.c Makefile
	$(call COMPILE,$(NEXT_INC))
$(BUILD)/tests/versions_test: $(NEXT_OBJ)
$(BUILD)/tests/versions_test: REPLACED = $(NEXT_OBJ)

# A second compiler reads every file: clang, with the same warnings as errors.
SYNTAX_SRC := $(ALL_SRC) $(EXAMPLE_SRC) $(wildcard $(LOOPS) tests/*.c tests/core/*/*.c tests/diff/*.c tests/shim/*.c)
.PHONY: syntax
syntax: $(SYNTAX_SRC:%=$(BUILD)/syntax/%.ok)
$(SYNTAX_SRC:%=$(BUILD)/syntax/%.ok): | $(GEN)/backend_abi.h $(GEN)/loops_each.h

READ = @mkdir -p $(@D) && echo "  clang  $<" && \
    $(CLANG) $(CFLAGS_ALL) $(1) -fsyntax-only -MMD -MP -MF $(@:.ok=.d) -MT $@ $< && touch $@
$(BUILD)/syntax/prims/%.ok: prims/% Makefile
	$(call READ,$(INC_prims))
$(BUILD)/syntax/backends/%.ok: backends/% $(GEN)/loops_each.h Makefile
	$(call READ,$(INC_backends) -I$(GEN) -fopenmp -DLUN_ISA=base)
$(BUILD)/syntax/interp/lua_library/%.ok: interp/lua_library/% $(GEN)/lua_names.h $(GEN)/lua_soname.h Makefile
	$(call READ,$(INC_interp) -I$(GEN))
$(BUILD)/syntax/interp/%.ok: interp/% Makefile
	$(call READ,$(INC_interp))
$(BUILD)/syntax/tests/core/%.ok: tests/core/% Makefile
	$(call READ,$(INC_tests) -fopenmp)
$(BUILD)/syntax/tests/%.ok: tests/% Makefile
	$(call READ,)
$(BUILD)/syntax/tests/diff/%.ok: tests/diff/% Makefile
	$(call READ,-isystem $(LUA_INCDIR))

$(BUILD)/syntax/tests/shim/%.ok: tests/shim/% Makefile
	$(call READ,)

# Instrumented trees beside the normal one, running the C tests and the specs.
.PHONY: asan tsan
ASAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DLUN_DEBUG
# Without signal stacks: where threads of PoCL end, AddressSanitizer fails to free theirs.
# LeakSanitizer leaves TLS out: gcc's reads the table of a thread that has none yet, and ends the process ("Tracer caught signal 11").
asan:
	@sh tests/setup.sh test
	@$(MAKE) --no-print-directory $(JOBS) BUILD=build/asan SANITIZE='$(ASAN_FLAGS)' all core-tests
	@ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:allocator_may_return_null=1:use_sigaltstack=0 UBSAN_OPTIONS=print_stacktrace=1 \
	    LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lint/lsan.supp:print_suppressions=0:use_tls=0 \
	    BUILD=build/asan WHOLE=1 sh tests/run.sh core spec

# Lua leaves C functions by longjmp; ThreadSanitizer must see it under the name that it knows.
# clang's OpenMP runtime tells ThreadSanitizer what it synchronises through archer, libgomp does not. Archer asks for
# ignore_noninstrumented_modules=1, with which ThreadSanitizer on Linux reports nothing that memcpy and its like do; so it
# gets that word, and ThreadSanitizer another one, which archer cannot read. Kernels are instrumented too. clang does not
# watch vectors of more than 16 bytes: none are made of loops. Reports go to files, where those of children are found
# whatever becomes of them.  What is suppressed is symbolised first: of a kernel, whose file has gone, that is a line on stderr.
SYMBOLIZER   = $(firstword $(wildcard /usr/lib/llvm-*/bin/llvm-symbolizer))
ARCHER       = $(firstword $(wildcard /usr/lib/llvm-*/lib/libarcher.so))
TSAN_REPORTS = $(CURDIR)/build/tsan/reports
TSAN_FLAGS   = ignore_noninstrumented_modules=1:ignore_noninstrumented_modules=no:die_after_fork=0:allocator_may_return_null=1:external_symbolizer_path=$(CURDIR)/build/tsan/llvm-symbolizer
tsan:
	@CLANG='$(CLANG)' sh tests/setup.sh tsan
	@mkdir -p build/tsan && printf '#!/bin/sh\nexec %s "$$@" 2>/dev/null\n' '$(SYMBOLIZER)' >build/tsan/llvm-symbolizer && \
	    chmod +x build/tsan/llvm-symbolizer
	@$(CLANG) -O2 -fPIC -c -o build/tsan/tsan_stack.o tests/tsan_stack.c
	@$(MAKE) --no-print-directory $(JOBS) BUILD=build/tsan CC='$(CLANG)' OPT='-O2 -g -fno-vectorize -fno-slp-vectorize' \
	    LOOPS_OPT= SANITIZE='-fsanitize=thread -D__SANITIZE_THREAD__' \
	    LDFLAGS='$(LDFLAGS) -Wl,--defsym,__longjmp_chk=longjmp build/tsan/tsan_stack.o' all core-tests torture-build
	@rm -rf $(TSAN_REPORTS); mkdir -p $(TSAN_REPORTS)
	@TSAN_OPTIONS=$(TSAN_FLAGS):suppressions=$(CURDIR)/tests/lint/tsan.supp:log_path=$(TSAN_REPORTS)/of \
	    OMP_TOOL_LIBRARIES=$(ARCHER) LUNARRAY_CC=$(CURDIR)/tests/tsan_cc.sh \
	    BUILD=build/tsan WHOLE=1 sh tests/run.sh core spec races

# Random Lua functions: FUZZ_SECONDS=60 FUZZ_SEED=number
.PHONY: fuzz
fuzz: all core-tests
	@BUILD='$(BUILD)' sh tests/fuzz/run.sh

# libFuzzer's programs, in an instrumented tree of their own; sh tests/torture/fuzz.sh runs them.
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZERS    := $(patsubst tests/fuzz/%_fuzz.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*_fuzz.c))
.PHONY: fuzzers fuzzers-here
fuzzers:
	@$(MAKE) --no-print-directory BUILD='$(BUILD)/clang-fuzz' CC='$(CLANG)' OPT='-O1 -g' \
	    SANITIZE='$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link' fuzzers-here
fuzzers-here: $(FUZZERS)
$(OBJ)/fuzz/%.o: tests/fuzz/%.c Makefile
	$(call COMPILE,$(INC_tests))
# The fuzzer's bytes take the place of what lua_dump writes.
$(BUILD)/fuzz/bytecode: LDFLAGS += -Wl,--wrap=lua_dump
$(BUILD)/fuzz/%: $(OBJ)/fuzz/%_fuzz.o $(OBJECTS)
	@mkdir -p $(@D); echo "  ld  $@"
	@$(CC) $(FUZZ_FLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $< $(OBJECTS) $(LUA_LIB) $(OPENMP) $(LIBS)
.SECONDARY: $(FUZZERS:$(BUILD)/fuzz/%=$(OBJ)/fuzz/%_fuzz.o)

# What tries to break it: programs of their own, and the libraries that they preload (*_shim.c).
TORTURE_SRC  := $(filter-out %_shim.c,$(wildcard tests/torture/*.c))
TORTURE_SHIM := $(wildcard tests/torture/*_shim.c)
.PHONY: torture torture-build
torture: all torture-build
	@BUILD='$(BUILD)' sh tests/torture/run.sh
torture-build: $(TORTURE_SRC:tests/torture/%.c=$(BUILD)/torture/%) \
    $(TORTURE_SHIM:tests/torture/%.c=$(BUILD)/torture/%.so) \
    $(addprefix $(BUILD)/tests/,net_test ranks_test ranks_faults_test serve_faults_test)

$(OBJ)/torture/%.o: tests/torture/%.c Makefile
	$(call COMPILE,$(INC_tests) $(OPENMP))
$(BUILD)/torture/%: $(OBJ)/torture/%.o $(OBJECTS)
	@mkdir -p $(@D); echo "  ld  $@"
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(OBJECTS) -lcmocka $(LUA_LIB) $(OPENMP) $(LIBS)
$(BUILD)/torture/%_shim.so: tests/torture/%_shim.c Makefile
	@mkdir -p $(@D); echo "  cc  $<"
	@$(CC) $(filter-out -fvisibility=hidden,$(CFLAGS_ALL)) -isystem $(LUA_INCDIR) -shared -o $@ $< -ldl
.SECONDARY: $(TORTURE_SRC:tests/torture/%.c=$(OBJ)/torture/%.o)

# Lines and branches that the C tests, the specs and the small torture reach, by gcovr.
.PHONY: coverage
coverage:
	@sh tests/setup.sh test
	@command -v gcovr >/dev/null || { echo "coverage needs gcovr (apt-get install gcovr)"; exit 1; }
	@mkdir -p build/coverage && $(CC) -O2 -fPIC -fvisibility=hidden -c -o build/coverage/counted_exit.o tests/counted_exit.c
	@$(MAKE) --no-print-directory $(JOBS) BUILD=build/coverage OPT='-O0 -g' \
	    SANITIZE='--coverage -fprofile-update=atomic' LDFLAGS='$(LDFLAGS) -Wl,--wrap=_exit build/coverage/counted_exit.o' \
	    all core-tests torture-build
	@find build/coverage -name '*.gcda' -delete
	@BUILD=build/coverage sh tests/run.sh core spec torture || true
	@BUILD=build/coverage TORTURE=0.001 sh tests/torture/run.sh memory || true
	@sh tests/coverage.sh build/coverage

.PHONY: machines
machines: all core-tests
	@BUILD='$(BUILD)' MAKE='$(MAKE) $(JOBS)' sh tests/machines.sh

# The standard's conformance suite, from SUITE; see tests/standard/run.sh for PYTHON, BACKENDS, EXAMPLES, ARGS.
.PHONY: array-api
array-api: $(SHARED)
	@BUILD='$(BUILD)' SUITE='$(SUITE)' sh tests/standard/run.sh

.PHONY: apicheck
apicheck:
	@MAKE='$(MAKE) $(JOBS)' CC='$(CC)' BUILD='$(BUILD)' sh tests/apicheck.sh

.PHONY: lint format bench bench-quick bench-gpu oclgrind
lint:
	@sh tests/run.sh lint

format:
	clang-format -i $(shell find prims backends interp tests bench examples -name '*.[ch]' 2>/dev/null)

# What the examples in the documentation print, and the reference, as they are now.
.PHONY: docs
docs: all
	@$(PROGRAM) tests/docs.lua --write README.md docs/*.md docs/*/*.md
	@$(PROGRAM) tests/reference.lua
	@$(PROGRAM) packaging/completions.lua
	@$(PROGRAM) packaging/editors.lua

bench: all
	@sh bench/run.sh

bench-quick: all
	@sh bench/run.sh quick

# How far the functions are from the true values, into docs/accuracy.md; MPFR is needed for this alone.
# ACCURACY: the share of arguments that is taken, 1 by default; ACCURACY_NAME: one function.
ACCURACY ?= 1
.PHONY: accuracy
accuracy: $(BUILD)/accuracy
	@$(BUILD)/accuracy $(ACCURACY) $(ACCURACY_NAME) > $(BUILD)/accuracy.md; status=$$?; \
	    if [ -z '$(ACCURACY_NAME)' ] && [ -s $(BUILD)/accuracy.md ]; then \
	        cp $(BUILD)/accuracy.md docs/accuracy.md; else cat $(BUILD)/accuracy.md; fi; exit $$status
$(BUILD)/accuracy: $(wildcard bench/accuracy/*.[ch]) $(OBJECTS)
	@echo '#include <mpfr.h>' | $(CC) -E - >/dev/null 2>&1 || \
	    { echo "accuracy needs MPFR (apt-get install libmpfr-dev)"; exit 1; }
	@echo "  cc  bench/accuracy"; $(CC) $(CFLAGS_ALL) -O3 -march=native -fno-math-errno -fno-trapping-math \
	    $(OPENMP) $(INC_backends) -o $@ $(filter %.c,$^) $(OBJECTS) -lmpfr -lgmp $(LUA_LIB) $(LIBS)

# Any OpenCL device will do; a GPU is taken first. Where something is missing for building, what was built
# elsewhere and copied here, build/ and all, is used as it is.
bench-gpu:
	@MAKE='$(MAKE) $(JOBS)' CC='$(CC)' BUILD='$(BUILD)' sh bench/gpu/run.sh

# The specs of backend opencl on a simulated device that reports every wrong access.
oclgrind: all
	@sh tests/oclgrind.sh

# The packages of make deb and the Containerfile, in empty roots; needs root, debootstrap and Debian's archive.
.PHONY: packages-check
packages-check:
	@BUILD='$(BUILD)' CC='$(CC)' sh tests/packages.sh

# The digest of the bits: generated programs by each level of instructions; arm64's by a cross compiler and an emulator.
# Its objects need no header of another library.
BITS_OBJ := $(OBJ)/bits/bits.o $(patsubst %.c,$(OBJ)/%.o,$(call sources,prims/table) prims/math/op_cell.c prims/math/scalar_sequence.c \
    prims/math/erf_rows.c) \
    $(ISAS:%=$(OBJ)/backends/reference/instruction_loops_%.o)
.PHONY: bits bits-f32 bits-arm64 bits-build
bits-build: $(BUILD)/bits/digest $(BUILD)/bits/by_engine
bits: $(BUILD)/bits/digest
	@BUILD='$(BUILD)' sh tests/bits/bits.sh
# All arguments of each f32 function of one, and many of each f64 one: hours, for a nightly run; NAMES: of these alone.
bits-f32: $(BUILD)/bits/functions
	@BUILD='$(BUILD)' sh tests/bits/functions.sh
bits-arm64:
	@MAKE='$(MAKE)' BUILD='$(BUILD)' sh tests/bits/arm64.sh
$(OBJ)/bits/%.o: tests/bits/%.c $(GEN)/loops_each.h Makefile
	$(call COMPILE,$(INC_backends) $(OPENMP))
$(BUILD)/bits/digest: $(BITS_OBJ)
	@mkdir -p $(@D); echo "  ld  $@"; $(CC) $(LDFLAGS_ALL) -o $@ $^ -lm
$(BUILD)/bits/functions: $(OBJ)/bits/functions.o $(filter-out $(OBJ)/bits/bits.o,$(BITS_OBJ))
	@mkdir -p $(@D); echo "  ld  $@"; $(CC) $(LDFLAGS_ALL) -o $@ $^ -lm
$(BUILD)/bits/by_engine: $(OBJ)/bits/by_engine.o $(OBJECTS)
	@mkdir -p $(@D); echo "  ld  $@"; $(CC) $(LDFLAGS_ALL) -o $@ $< $(OBJECTS) $(LUA_LIB) $(OPENMP) $(LIBS)
