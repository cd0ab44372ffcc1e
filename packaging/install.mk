# make install and uninstall, and the files by which other builds find the library. `make install-module`
# is what LuaRocks uses: the module alone. $(SHARE)/installed lists what an installation has made.
INSTALL ?= install
HEADERS := prims/lunarray.h prims/lunarray_bind.h prims/lunarray.hpp prims/lunarray_dlpack.h prims/lunarray_arrow.h
SHARE   := $(PREFIX)/share/lunarray
CMAKE   := $(LIBDIR)/cmake/lunarray
LIST    := $(SHARE)/installed
BASH    := $(PREFIX)/share/bash-completion/completions
LUALS   := $(PREFIX)/share/lunarray/luals
DOC     := $(PREFIX)/share/doc/lunarray
JUPYTER := $(PREFIX)/share/jupyter/kernels/lunarray
FISH    := $(PREFIX)/share/fish/vendor_completions.d
VERSION := $(shell sed -n 's/^#define LUN_VERSION *"\(.*\)"/\1/p' prims/lunarray.h)
SONAME  := liblunarray.so.0

# What the archive needs: flags, for modules of pkg-config would ask for archives of all libraries below them.
STATIC_LIBS = $(strip $(LUA_LIB) $(OPENMP) $(LIBS))

empty :=
space := $(empty) $(empty)
from_to = $(shell realpath -ms --relative-to='$(1)' '$(2)')
FILL = sed -e 's|@VERSION@|$(VERSION)|g; s|@MAJOR@|$(word 1,$(subst ., ,$(VERSION)))|g; s|@MINOR@|$(word 2,$(subst ., ,$(VERSION)))|g' \
    -e 's|@PREFIX@|$(call from_to,$(LIBDIR)/pkgconfig,$(or $(PREFIX),/))|; s|@INCLUDE@|$(call from_to,$(LIBDIR),$(INCLUDEDIR))|'

# Made anew at each install: they hold the directories chosen there.
.PHONY: found-files
found-files: FORCE
	@mkdir -p $(GEN)
	@$(FILL) -e 's|@STATIC_LIBS@|$(STATIC_LIBS)|' packaging/lunarray.pc.in >$(GEN)/lunarray.pc
	@$(FILL) -e 's|@STATIC_LIBS@|$(subst $(space),;,$(STATIC_LIBS))|' packaging/lunarrayConfig.cmake.in >$(GEN)/lunarrayConfig.cmake
	@$(FILL) packaging/lunarrayConfigVersion.cmake.in >$(GEN)/lunarrayConfigVersion.cmake

# What an installation makes: its files, and the directories that are not there yet.
FILES = $(BINDIR)/lunarray $(LIBDIR)/liblunarray.so.$(VERSION) $(LIBDIR)/$(SONAME) $(LIBDIR)/liblunarray.so \
    $(LIBDIR)/liblunarray.a $(HEADERS:prims/%=$(INCLUDEDIR)/%) $(LIBDIR)/pkgconfig/lunarray.pc \
    $(CMAKE)/lunarrayConfig.cmake $(CMAKE)/lunarrayConfigVersion.cmake $(LUA_CMOD)/lunarray.so $(MANDIR)/man1/lunarray.1 \
    $(BASH)/lunarray $(FISH)/lunarray.fish $(LUALS)/config.json $(LUALS)/library/lunarray.lua $(DOC)/card.md $(DOC)/llms.txt
directories-made: FORCE
	@mkdir -p $(GEN); { sed -n 's/^made //p' '$(DESTDIR)$(LIST)' 2>/dev/null; \
	    for made in '$(BINDIR)' '$(LIBDIR)/pkgconfig' '$(CMAKE)' '$(LUA_CMOD)' '$(INCLUDEDIR)' '$(MANDIR)/man1' '$(SHARE)' \
	        '$(BASH)' '$(FISH)' '$(LUALS)/library' '$(DOC)'; do \
	        while [ -n "$$made" ] && [ ! -d "$(DESTDIR)$$made" ]; do echo "$$made"; made=$${made%/*}; done; \
	    done; } | LC_ALL=C sort -ru > $(GEN)/directories

# How a program finds the library, where the linker does not look by itself.
HINT = printf '%s\n' 'A program with it:' \
    '    cc host.c $$(PKG_CONFIG_PATH=$(LIBDIR)/pkgconfig pkg-config --cflags --libs lunarray) -Wl,-rpath,$(LIBDIR) -o host' \
    'Without -Wl,-rpath it runs by: LD_LIBRARY_PATH=$(LIBDIR) ./host (after make install into /usr/local: ldconfig)'

.PHONY: install-jupyter
install-jupyter:
	$(INSTALL) -d '$(DESTDIR)$(JUPYTER)'
	$(INSTALL) -m 644 share/jupyter/kernels/lunarray/kernel.json share/jupyter/kernels/lunarray/kernel.py '$(DESTDIR)$(JUPYTER)'

.PHONY: install install-module uninstall module directories-made
module: $(MODULE)

install-module: $(MODULE) | directories-made
	$(INSTALL) -d '$(DESTDIR)$(LUA_CMOD)'
	$(INSTALL) -m 755 $(MODULE) '$(DESTDIR)$(LUA_CMOD)/lunarray.so'

install: all install-module found-files
	$(INSTALL) -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBDIR)/pkgconfig' '$(DESTDIR)$(CMAKE)' '$(DESTDIR)$(INCLUDEDIR)' \
	    '$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(SHARE)' '$(DESTDIR)$(BASH)' '$(DESTDIR)$(FISH)' '$(DESTDIR)$(LUALS)/library' \
	    '$(DESTDIR)$(DOC)'
	$(INSTALL) -m 755 $(PROGRAM) '$(DESTDIR)$(BINDIR)/lunarray'
	$(INSTALL) -m 755 $(SHARED) '$(DESTDIR)$(LIBDIR)/liblunarray.so.$(VERSION)'
	ln -sf liblunarray.so.$(VERSION) '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/liblunarray.so'
	$(INSTALL) -m 644 $(STATIC) '$(DESTDIR)$(LIBDIR)/liblunarray.a'
	$(INSTALL) -m 644 $(HEADERS) '$(DESTDIR)$(INCLUDEDIR)'
	$(INSTALL) -m 644 $(GEN)/lunarray.pc '$(DESTDIR)$(LIBDIR)/pkgconfig/lunarray.pc'
	$(INSTALL) -m 644 $(GEN)/lunarrayConfig.cmake $(GEN)/lunarrayConfigVersion.cmake '$(DESTDIR)$(CMAKE)'
	$(INSTALL) -m 644 packaging/lunarray.1 '$(DESTDIR)$(MANDIR)/man1/lunarray.1'
	$(INSTALL) -m 644 packaging/lunarray.bash '$(DESTDIR)$(BASH)/lunarray'
	$(INSTALL) -m 644 packaging/lunarray.fish '$(DESTDIR)$(FISH)/lunarray.fish'
	$(INSTALL) -m 644 share/lunarray/luals/config.json '$(DESTDIR)$(LUALS)/config.json'
	$(INSTALL) -m 644 share/lunarray/luals/library/lunarray.lua '$(DESTDIR)$(LUALS)/library/lunarray.lua'
	$(INSTALL) -m 644 docs/reference/card.md llms.txt '$(DESTDIR)$(DOC)'
	@{ printf 'file %s\n' $(foreach file,$(FILES),'$(file)'); sed 's/^/made /' $(GEN)/directories; } >'$(DESTDIR)$(LIST)'
	@$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,$(HINT))

uninstall:
	@test -f '$(DESTDIR)$(LIST)' || { echo "uninstall: no installation in $(DESTDIR)$(PREFIX): $(DESTDIR)$(LIST) is missing" >&2; exit 1; }
	@mkdir -p $(GEN); cp '$(DESTDIR)$(LIST)' $(GEN)/uninstall; rm -f '$(DESTDIR)$(LIST)'
	@sed -n 's/^file //p' $(GEN)/uninstall | while read -r file; do echo "rm -f $(DESTDIR)$$file"; rm -f "$(DESTDIR)$$file"; done
	@rm -f '$(DESTDIR)$(JUPYTER)/kernel.json' '$(DESTDIR)$(JUPYTER)/kernel.py'; rmdir '$(DESTDIR)$(JUPYTER)' 2>/dev/null || true
	@sed -n 's/^made //p' $(GEN)/uninstall | while read -r made; do rmdir "$(DESTDIR)$$made" 2>/dev/null || true; done

# An archive that runs from any folder: what is linked finds its libraries beside it, in lib, and needs glibc alone.
DIST := $(BUILD)/lunarray-$(VERSION)-linux-$(MACHINE)
BESIDE = -s -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/$(1)'
.PHONY: dist
dist: all
	@rm -rf $(DIST) && mkdir -p $(DIST)
	@$(MAKE) --no-print-directory -s install BUILD='$(BUILD)' PREFIX= DESTDIR='$(abspath $(DIST))'
	@rm -r $(DIST)/share/lunarray
	@$(call LINK_PROGRAM,$(DIST)/bin/lunarray,$(call BESIDE,../lib))
	@$(call LINK_SHARED,$(DIST)/lib/liblunarray.so.$(VERSION),$(call BESIDE,.))
	@$(call LINK_MODULE,$(DIST)/lib/lua/5.4/lunarray.so,$(call BESIDE,../..))
	@mkdir -p $(DIST)/share/doc/lunarray && cp -R docs examples README.md CHANGELOG.md LICENSE $(DIST)/share/doc/lunarray
	@CC='$(CC)' OBJCOPY='$(OBJCOPY)' READELF='$(READELF)' sh packaging/dist.sh $(DIST)

# Debian's packages, made by debhelper in a copy of the tree: $(BUILD)/deb/*.deb.
DEB := $(BUILD)/deb/lunarray-$(VERSION)
.PHONY: deb
deb:
	@command -v dh >/dev/null || { echo 'make deb: debhelper is missing: apt-get install debhelper' >&2; exit 1; }
	@rm -rf $(BUILD)/deb && mkdir -p $(DEB)
	@tar -c --exclude=./.git --exclude='./build*' --exclude='$(BUILD)' . | tar -x -C $(DEB)
	@cd $(DEB) && LUN_CC='$(if $(filter gcc,$(CC)),,$(CC))' dpkg-buildpackage -us -uc -b
	@ls $(BUILD)/deb/*.deb
