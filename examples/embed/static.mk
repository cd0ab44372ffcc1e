# A host that has all of Lunarray in it, and needs no liblunarray.so where it runs:
#     make -f static.mk HOST=tables
# pkg-config names what the archive needs; the archive itself stands beside the library of that name.
HOST ?= tables

$(HOST): $(dir $(lastword $(MAKEFILE_LIST)))$(HOST).c
	$(CC) -std=c11 $(CFLAGS) $< $(subst -llunarray,-l:liblunarray.a,$(shell pkg-config --static --cflags --libs lunarray)) $(LDFLAGS) -o $@
