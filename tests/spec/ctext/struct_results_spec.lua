-- C text that gives structs, and structs that are read from C headers, against plain Lua; files that include them; what is
-- refused. On every backend, for the engine compiles C text for all of them.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local directory

local function write(name, text)
    local path = directory .. "/" .. name
    local file <close> = assert(io.open(path, "w"))
    file:write(text)
    return path
end

local TYPES <const> = [[
/* shared; struct Wrong { int *p; }; stands in a comment */
#ifndef TYPES_H
#define TYPES_H
#include <stdint.h>
typedef struct { float x, y; } Position; // a place
typedef struct Pixel { unsigned char red, green, blue; } Pixel;
struct Both { Position at; struct Pixel colour; int16_t m[2][3];
    unsigned long long int k; _Bool on; const short int s; };
typedef struct { int *p; } Pointer;
typedef struct { int a : 3; } Bits;
typedef struct { union { int a; float b; } u; } Union;
typedef struct { Pointer p; } Holder;
typedef struct { int a; } Odd __attribute__((packed));
typedef struct { wchar_t c; } Unknown;
typedef struct { int n[N]; } Extent;
typedef struct { long double x; } Long;
typedef struct { int a } Last;
#endif
]]

local FINE <const> = TYPES:match "^(.-)typedef struct { int %*p" .. "#endif\n"

describe("structs of C headers", function()
    setup(function() directory = shell.scratch() end)
    teardown(function() shell.discard(directory) end)

    it("are those of the compiler", function()
        local path = write("types.h", TYPES)
        assert.equal("struct Position { f32 x; f32 y; } (aos, 8 bytes)", tostring(lun.struct(path, "Position")))
        assert.equal("struct Pixel { u8 red; u8 green; u8 blue; } (aos, 3 bytes)", tostring(lun.struct(path, "Pixel")))
        local Both = lun.struct(path, "Both", { layout = "soa" })
        assert.equal("struct Both { Position at; Pixel colour; i16 m[2][3]; u64 k; bool on; i16 s; } (soa, 40 bytes)",
            tostring(Both))
        local program = write("offsets.c", [[
            #include "types.h"
            #include <stddef.h>
            #include <stdio.h>
            int main(void) { printf("%d %d %d %d %d %d %d", (int)offsetof(struct Both, at), (int)offsetof(struct Both, colour),
                (int)offsetof(struct Both, m), (int)offsetof(struct Both, k), (int)offsetof(struct Both, on),
                (int)offsetof(struct Both, s), (int)sizeof(struct Both)); return 0; }]])
        write("types.h", FINE)
        assert.equal("", shell.capture(("cc %s -o %s/offsets 2>&1"):format(program, directory)))
        local offsets = {}
        for _, name in ipairs(Both) do
            offsets[#offsets + 1] = Both.offsets[name]
        end
        assert.equal(table.concat(offsets, " ") .. " " .. Both.bytes, (shell.capture(directory .. "/offsets")))
    end)

    it("are refused with path, line and reason", function()
        local path = write("types.h", TYPES)
        for name, text in pairs {
            Pointer = ":9: Pointer: 'int *p': fields are numbers, fixed arrays of them and structs made before",
            Bits = ":10: Bits: 'int a : 3': fields are numbers",
            Union = ":11: Union: 'union { int a': fields are numbers",
            Holder = ":12: Holder: " .. path .. ":9: Pointer: 'int *p'",
            Odd = ":13: Odd: a name and ; expected behind }",
            Unknown = ":14: Unknown: unknown type 'wchar_t'",
            Extent = ":15: Extent: 'n': an extent is a number, not 'N'",
            Long = ":16: Long: unknown type 'long double'",
            Last = ":17: Last: a declaration without ;",
            Wrong = ": no struct 'Wrong': there are Position, Pixel, Both, Pointer",
        } do
            expect.failure("bad argument #1 to 'struct' (" .. path .. text, lun.struct, path, name)
        end
        expect.failure("none.h: No such file or directory", lun.struct, directory .. "/none.h", "P")
        expect.failure("Pixel: option layout: \"aos\" or \"soa\" expected, got x", lun.struct, path, "Pixel", { layout = "x" })
    end)

    it("are known to files that include them", function()
        local path = write("types.h", TYPES)
        local file = write("f.c", [[
            #include "types.h"
            static float twice(float x) { return 2 * x; }
            Pixel f(Position p, float k) { Pixel q = {(unsigned char)(twice(p.x) * k), (unsigned char)p.y, 7}; return q; }
        ]])
        local Position, Pixel = lun.struct(path, "Position"), lun.struct(path, "Pixel")
        write("types.h", FINE)
        local a = lun.vector({ x = lun.index(3), y = lun.index(3) * 10 }, Position)
        local made = lun.map(file)(a, 3)
        assert.equal("Pixel", made:dtype().name)
        assert.equal(3, #Pixel)
        assert.same({ { red = 6, green = 10, blue = 7 }, { red = 12, green = 20, blue = 7 }, { red = 18, green = 30, blue = 7 } },
            made:totable())
        local sums = write("g.c", '#include "types.h"\nfloat f(Position p) { return p.x + p.y; }\n')
        assert.same({ 11, 22, 33 }, lun.map(sums)(a):totable())
    end)
end)

describe("C text that gives structs", function()
    it("gives records, on every backend", function()
        expect.everywhere(function()
            local P = lun.struct("Point", { { "x", "f32" }, { "y", "f32" } })
            local B = lun.struct("Body", { { "at", P }, { "m", "i16", { 2, 2 } }, { "ok", "bool" } })
            local list = {}
            for i = 1, 70 do
                list[i] = { at = { x = i, y = -i / 2 }, m = { { i, 1 }, { 2, 3 } }, ok = i % 2 == 0 }
            end
            local a = lun.vector(list, B)
            local turned = a:map([[
                static Point swap(Point p) { Point q = {p.y, p.x}; return q; }
                Body f(Body b, float k) { b.at = swap(b.at); b.m[1][0] = b.m[0][0] + 1; b.ok = !b.ok; b.at.x *= k; return b; }
            ]], 2)
            assert.equal(B, turned:dtype())
            local sums = lun.zip "Point add(Point p, Point q) { Point r = {p.x + q.x, p.y - q.y}; return r; }"(a.at, a.at)
            for i = 1, 70 do
                assert.same({ at = { x = -i, y = i }, m = { { i, 1 }, { i + 1, 3 } }, ok = i % 2 == 1 }, turned[i])
                assert.same({ x = 2 * i, y = 0 }, sums[i])
            end
            local w = lun.vector({ 5, 6 }, "f32")
            local read = a:reshape(7, 10):map("Point f(Body b, const float *w, int n) { Point p = {w[b.m[0][0] % n], n}; return p; }",
                w, 2)
            assert.same({ 7, 10 }, { read:shape() })
            assert.same({ x = 6, y = 2 }, read:flatten()[1])
            assert.same({ x = 5, y = 2 }, read:flatten()[70])
            assert.same(a.at:totable(), a.at:map "Point f(Point p) { return p; }":totable()) -- names no field
            assert.equal(0, #lun.zeros(0, P):map "Point f(Point p) { return p; }")
        end)
    end)

    it("is refused where it cannot", function()
        local P = lun.struct("Point", { { "x", "f32" }, { "y", "f32" } })
        local a = lun.zeros(3, P)
        expect.failure("bad argument #2 to 'zip' (shapes [3] and [1] differ: a C function that gives records takes elements of one "
            .. "shape)",
            lun.zip "Point f(Point p, Point q) { return p; }", a, lun.zeros(1, P))
        expect.failure("(the function has 2 parameters, but is called with 1 elements and 0 extra arguments)", a.map, a,
            "Point f(Point p, float k) { p.x *= k; return p; }")
        expect.failure("parameter 1 of the C function has to be a 'Point', not 'Point *p'", a.map, a, "Point f(Point *p) { return *p; }")
        local Wide = lun.struct("Wide", { { "v", "f32", 16 } })
        expect.failure("the C function takes and gives 32 elements of records, at most 31", lun.zeros(2, Wide).map,
            lun.zeros(2, Wide), "Wide f(Wide p) { p.v[0] = 1; return p; }")
        expect.failure("unknown type 'Nothing'", a.map, a, "Nothing f(Point p) { Nothing n; return n; }")
    end)
end)
