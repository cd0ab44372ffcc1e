-- lunarray.hpp in a C++ program: numbers that a double does not have, empty arrays, numbers beyond i64.

local shell = require "shell"
local build = os.getenv "BUILD" or "build"
local sanitized = build:find "asan" or build:find "tsan"
if sanitized then
    print "skipped: the program is built without the sanitizers"
end

local program = [[
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <lunarray.hpp>

static void fails(const char *what, const std::function<void()> &f)
{
    try {
        f();
        std::printf("%s: no error\n", what);
    } catch (const lun::error &x) {
        std::printf("%s: %s, %s\n", what, lun_status_name(x.status()), x.what());
    }
}

int main()
{
    lun::engine e;
    const std::int64_t big = (INT64_C(1) << 53) + 1;
    const lun::array a = e.vector<std::int64_t>({big, 1, -3});
    std::printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", a.get<std::int64_t>(0), a.sum<std::int64_t>(), a.max<std::int64_t>());
    std::printf("%g %g %d\n", a[2], a.min(), a.get<int>(2));
    fails("element", [&] { (void)a[0]; });
    fails("maximum", [&] { (void)a.max(); });
    fails("small", [&] { (void)a.get<std::int8_t>(0); });
    fails("sign", [&] { (void)a.get<std::uint64_t>(2); });
    const std::uint64_t top = UINT64_MAX;
    const lun::array u = e.vector<std::uint64_t>({top, 1});
    std::printf("%d %d\n", u.get<std::uint64_t>(0) == top, u.max<std::uint64_t>() == top);
    fails("unsigned", [&] { (void)u[0]; });
    fails("as i64", [&] { (void)u.get<std::int64_t>(0); });
    std::printf("%d\n", (u - top).get<std::uint64_t>(0) == 0);
    const lun::array d = e.vector<double>({2.5, 1e300, 4});
    std::printf("%g %d %g\n", d[0], d.get<int>(2), static_cast<double>(d.get<float>(0)));
    fails("fraction", [&] { (void)d.get<int>(0); });
    fails("large", [&] { (void)d.get<std::int64_t>(1); });
    const lun::array none;
    fails("empty right", [&] { (void)(d + none); });
    fails("empty left", [&] { (void)(none * d); });
    fails("both", [&] { (void)(none - none); });
    fails("number", [&] { (void)(none + 1); });
    fails("negated", [&] { (void)-none; });
    fails("method", [&] { (void)none.sum(); });
    fails("where", [&] { (void)lun::where(d, 1, none); });
    lun::array p = e.vector<double>({1, 2, 3});
    p.put(e.vector<std::int64_t>({0, 0}), e.vector<double>({5, 6}));
    p.put(e.vector<std::int64_t>({1, 1}), e.vector<double>({5, 6}), 0, LUN_OP_ADD);
    p.put(e.vector<std::int64_t>({2}), e.vector<double>({8}), 0, static_cast<lun_op>(66));
    std::printf("%g %g %g\n", p[0], p[1], p[2]);
    std::printf("%d %s\n", LUN_VERSION_NUM, LUN_VERSION);
    std::printf("%d\n", lun_version_num() == LUN_VERSION_NUM);
    return 0;
}
]]

local tables = [[
#include <cstdio>
#include <lunarray.hpp>

static void show(const lun::table &t)
{
    for (const std::string &name : t.names()) {
        std::printf("%s:", name.c_str());
        const lun::array a = t[name];
        for (std::int64_t i = 0; i < t.rows(); i++)
            if (a.dtype() == LUN_TEXT)
                std::printf(" %s", std::string(a.at<std::string_view>(i).value_or("-")).c_str());
            else
                std::printf(" %g", a.at<double>(i).value_or(-1));
        std::printf("; ");
    }
    std::printf("\n");
}

int main()
{
    lun::engine e;
    const auto none = std::nullopt;
    const lun::table t = std::get<lun::table>(e.decode("k,x\nb,5\na,\n,1\na,3\n", "csv"));
    const lun::table u = e.table({{"k", e.texts({"a", "", none})}, {"y", e.vector({1.0, 2.0, 3.0})}});
    show(t);
    show(t.filter(lun::gt(t["x"], 2.0)));
    show(t.sort({"-k", "x"}));
    show(t.take(e.vector<std::int64_t>({-1, 0})));
    show(t.group({"k"}, {{"n", "count", "", ""}, {"s", "sum", "x", ""}}));
    lun::join_options left;
    left.how = "left";
    show(t.join(u, {"k"}, left));
    show(e.concat({t, u}, true));
    std::printf("%d %d\n", (int)u["k"].texts()[1]->size(), (int)u["k"].has_missing());
    e.add("firsts", [](const std::vector<lun::value> &in) -> std::vector<lun::value> {
        return {std::get<lun::table>(in.at(0)), std::get<lun::table>(in.at(0)).rows()};
    });
    e.run("function f(t) local u, n = firsts(t) return u:head(n - 2), n end");
    const auto out = e.call("f", {t});
    show(std::get<lun::table>(out.at(0)));
    std::printf("%s", e.encode(u, "csv").c_str());
    const lun::array a = e.vector<std::uint8_t>({1, 2, 3, 4, 5, 6}).reshape({2, 3});
    std::printf("%g\n", std::get<lun::array>(e.decode(e.encode(a, "png"), "png")).sum());
    for (int k = 0; k < 3; k++)
        try {
            k == 0 ? (void)t.sort({"z"}) : k == 1 ? (void)lun::table()["x"] : (void)e.decode("x", "png");
        } catch (const lun::error &x) {
            std::printf("%s: %s\n", lun_status_name(x.status()), x.what());
        }
    return 0;
}
]]

local scopes = [[
#include <cstdio>
#include <lunarray.hpp>

struct told {
    std::shared_ptr<int> count = std::make_shared<int>(0);
};

int main()
{
    lun::engine e;
    told t;
    {
        lun::scope a(e), b(e);
        a.set("cfg.gain", 2.5);
        a.add("host.note", [t](const std::vector<lun::value> &in) -> std::vector<lun::value> {
            ++*t.count;
            return {std::get<double>(in.at(0)) * 2};
        });
        a.run("function f(x) return host.note(x * cfg.gain) end  function g() return lun.vector{1, 2} end", "=a");
        b.run("assert(cfg == nil and f == nil)");
        std::printf("%g\n", std::get<double>(a.call("f", {2.0}).at(0)));
        const lun::reference f = a.hold("f");
        a.run("f = nil");
        const double twice = std::get<double>(f({4.0}).at(0));
        std::printf("%g %d\n", twice, *t.count);
        std::printf("%g\n", std::get<lun::array>(a.call("g").at(0)).sum());
        a.run("s = 'text'");
        std::printf("%s %d\n", std::get<std::string>(a.at("s")).c_str(), std::holds_alternative<std::monostate>(b.at("s")));
        try {
            b.run("error 'no'", "=rules");
        } catch (const lun::error &x) {
            std::printf("%s %s\n", lun_status_name(x.status()), x.where().c_str());
            std::printf("%s, %d, %d\n", x.message().c_str(), x.line(), x.traceback().find("rules:1: in main chunk") != std::string::npos);
        }
        std::printf("%d\n", (int)t.count.use_count());
    }
    lun_trim(e.get());
    std::printf("%d\n", (int)t.count.use_count());
    return 0;
}
]]

local memory = [[
#include <cstdio>
#include <stdexcept>
#include <lunarray.hpp>
#include <lunarray_arrow.h>

int main()
{
    int ended = 0;
    {
        lun::engine e;
        double x[6] = {1, 2, 3, 4, 5, 6};
        {
            const lun::array a = e.wrap(x, {2, 3}, {}, [&] { ended++; });
            const lun::array columns = e.wrap(x, {3, 2}, {1, 3});
            std::printf("%g %g\n", a.select(0, 1).sum(), columns.select(1, 0).sum());
            a += 1;
            a *= a;
            a -= e.vector({1.0, 2.0, 3.0});
            a /= 2;
            std::printf("%g %g %g %d\n", x[0], x[2], x[5], ended);
            a.set(e.vector({7}));
            std::printf("%g %g\n", x[0], x[5]);
            for (int k = 0; k < 3; k++)
                try {
                    k == 0 ? a.set(e.vector({1.0, 2.0})) : k == 1 ? (void)e.wrap(x, {6}, {1, 1}, [&] { ended += 100; })
                                                                  : (void)(a += lun::array());
                } catch (const lun::error &f) {
                    std::printf("%s %s\n", lun_status_name(f.status()), f.what());
                }
        }
        lun_trim(e.get());
        std::printf("%d\n", ended);
        ArrowSchema schema;
        ArrowArray columns;
        e.to_arrow(e.table({{"x", e.vector({1.5, 2.5})}}), &schema, &columns);
        std::printf("%d %s\n", (int)columns.length, schema.children[0]->name);
        std::printf("%g\n", e.from_arrow(&schema, &columns)["x"].sum());
        e.on_progress([](const lun_progress *) { throw std::runtime_error("lost"); });
        std::printf("%g\n", (e.vector({1.0, 2.0}) * 2).sum());
        e.on_progress({});
        e.on_log(LUN_LOG_WARN, [](lun_log_level, const char *subject, const char *text) {
            std::printf("%s: %s\n", subject, text);
            throw std::runtime_error("lost");
        });
        e.run("warn 'careful'");
        e.on_log(LUN_LOG_WARN, {});
        e.run("warn 'nobody hears'");
    }
    std::printf("%d\n", ended);
    return 0;
}
]]

local queries = [[
#include <cstdio>
#include <lunarray.hpp>

int main()
{
    lun::engine e;
    const lun::table t = e.table({{"g", e.vector<std::int64_t>({1, 2, 1})}, {"x", e.vector({0.5, 2.0, 4.0})}});
    try {
        const auto r = std::get<lun::table>(
            e.sql("select g, sum(x) as s from t where x > ? group by g order by g", {{"t", t}}, "{parameters = {0.25}}"));
        std::printf("%d rows, %g %g\n", static_cast<int>(r.rows()), r["s"][0], r["s"][1]);
        (void)e.sql("create table kept (i integer)");
        const auto changed = std::get<std::int64_t>(e.sql("insert into kept select range from range(3)"));
        std::printf("%d\n", static_cast<int>(changed));
        (void)e.sql("select nothing from t", {{"t", t}});
    } catch (const lun::error &x) {
        std::printf("%s %.45s\n", lun_status_name(x.status()), x.what());
    }
    return 0;
}
]]

-- What a program prints, built with the strictest warnings; `with`: variables.
local function run(text, with)
    local scratch = shell.scratch()
    shell.write(scratch .. "/x.cpp", text)
    local printed, status = shell.capture(("g++ -std=c++17 -Wall -Wextra -Wshadow -Wconversion -Werror -Iprims %s/x.cpp -L%s "
        .. "-llunarray -Wl,-rpath,$PWD/%s -o %s/x 2>&1 && %s %s/x 2>&1"):format(scratch, build, build, scratch, with or "", scratch))
    shell.discard(scratch)
    assert.equal(0, status, printed)
    return printed
end

-- Values are those of NumPy 2.4: tests/spec/math/complex_moves.py.
local complex = [[
#include <complex>
#include <cstdio>
#include <lunarray.hpp>

using z64 = std::complex<float>;
using z128 = std::complex<double>;

static void show(const lun::array &a)
{
    for (const z128 &z : a.read<z128>())
        std::printf("%g%+gi ", z.real(), z.imag());
    std::printf("%s\n", a.dtype() == LUN_C64 ? "c64" : "c128");
}

int main()
{
    lun::engine e;
    const z128 i(0, 1);
    const lun::array x = e.vector<z128>({{1, 2}, {-3, 0.5}, {0, 4}});
    const lun::array f = e.vector<z64>({{1, 2}, {-3, 0.5F}, {0, 4}});
    show(x * x);
    show(x * i);
    show(i * x.conj());
    show(f * 2.0F + z64(0, 1));
    show(f * e.vector<double>({2.0, 2.0, 2.0}) + i);
    std::printf("%g %g\n", x.real()[1], x.imag()[1]);
    const z128 sum = x.sum<z128>(), product = x.total<z128>(LUN_PROD);
    std::printf("%g%+gi %g%+gi\n", sum.real(), sum.imag(), product.real(), product.imag());
    lun::array a = e.vector<z128>({{7, 0}, {0, 4}, {0, 4}});
    a.put(e.vector<std::int64_t>({2, 2, 0}), x, 0, LUN_OP_ADD);
    show(a);
    a.write(std::vector<z128>{{9, 9}}, 1);
    a.real().set(e.vector<double>({1.0}));
    const z64 second = a.get<z64>(1);
    std::printf("%g%+gi ", static_cast<double>(second.real()), static_cast<double>(second.imag()));
    std::printf("%d\n", e.zeros({2, 2}, LUN_C64).dtype() == LUN_C64);
    for (int k = 0; k < 3; k++)
        try {
            k == 0 ? (void)x[0] : k == 1 ? (void)lun::lt(x, x) : (void)e.vector<double>({1.0}).get<z128>(0);
        } catch (const lun::error &fault) {
            std::printf("%s %s\n", lun_status_name(fault.status()), fault.what());
        }
    return 0;
}
]]

describe("lunarray.hpp", function()
    it("has arrays of std::complex", function()
        if sanitized then
            pending "built without the sanitizers"
            return
        end
        assert.equal(table.concat({
            "-3+4i 8.75-3i -16+0i c128",
            "-2+1i -0.5-3i -4+0i c128",
            "2+1i 0.5-3i 4+0i c128",
            "2+5i -6+2i 0+9i c64",
            "2+5i -6+2i 0+9i c128",
            "-3 0.5",
            "-2+6.5i 22-16i",
            "7+4i 0+4i -2+6.5i c128",
            "1+9i 1",
            "EDTYPE c128; not for complex numbers: take abs(), real() or imag()",
            "EDTYPE complex numbers have no order: take abs(), real() or imag()",
            "EDTYPE complex numbers expected, got f64[1]",
            "",
        }, "\n"), run(complex))
    end)

    it("has tables: verbs, texts and missing elements, bytes, values of scripts", function()
        if sanitized then
            pending "built without the sanitizers"
            return
        end
        assert.equal(table.concat({
            "k: b a - a; x: 5 -1 1 3; ",
            "k: b a; x: 5 3; ",
            "k: b a a -; x: 5 3 -1 1; ",
            "k: a b; x: 3 5; ",
            "k: a b -; n: 2 1 1; s: 3 5 1; ",
            "k: b a - a; x: 5 -1 1 3; y: -1 1 -1 1; ",
            "k: b a - a a  -; x: 5 -1 1 3 -1 -1 -1; y: -1 -1 -1 -1 1 2 3; ",
            "0 1",
            "k: b a; x: 5 -1; ",
            "k,y",
            "a,1.0",
            '"",2.0',
            ",3.0",
            "21",
            "EARG: no column 'z' (t:has \"z\" tests for it)",
            "EARG: the lun::table is empty",
            "EIO: not a PNG image: it has no PNG signature",
            "",
        }, "\n"), run(tables))
    end)

    it("has scopes: values by paths, functions held, functions of the host that end", function()
        if sanitized then
            pending "built without the sanitizers"
            return
        end
        assert.equal("10\n20 2\n3\ntext 1\nESCRIPT rules:1\nrules:1: no, 1, 1\n2\n1\n", run(scopes))
    end)

    it("wraps memory in any strides, computes in place, moves tables by Arrow", function()
        if sanitized then
            pending "built without the sanitizers"
            return
        end
        assert.equal(table.concat({
            "15 6",
            "1.5 6.5 23 0",
            "7 7",
            "ESHAPE f64[2] does not broadcast to f64[2, 3], axis 1: 2 and 3",
            "ESHAPE not as many strides as extents",
            "EARG an operand is an empty lun::array",
            "1",
            "2 x",
            "4",
            "6",
            "script: careful",
            "1",
            "",
        }, "\n"), run(memory))
    end)

    it("asks DuckDB over tables, and says where it is not", function()
        if sanitized then
            pending "built without the sanitizers"
            return
        end
        assert.equal("EIO LUNARRAY_DUCKDB names /no/library.so: not fou\n", run(queries, "LUNARRAY_DUCKDB=/no/library.so"))
        local folder = shell.scratch()
        local library = require "doors.duckdb_library".list(folder)[1]
        if library then
            assert.equal('2 rows, 4.5 2\n3\nEIO DuckDB: Binder Error: Referenced column "noth\n',
                run(queries, ("LUNARRAY_DUCKDB='%s'"):format(library.variable)))
        else
            print "program/cpp: DuckDB's absence alone was tested: no duckdb (sh tests/setup.sh doors)"
        end
        shell.discard(folder)
    end)

    it("gives integers exactly, and no array that is empty counts as 0", function()
        if sanitized then
            pending "built without the sanitizers"
            return
        end
        local exactly = "the integer is none that the float type has exactly: ask for it as an integer, as in sum<std::int64_t>()"
        local fits = "the value is no integer of the type asked for"
        assert.equal(table.concat({
            "9007199254740993 9007199254740991 9007199254740993",
            "-3 -3 -3",
            "element: ERANGE, " .. exactly,
            "maximum: ERANGE, " .. exactly,
            "small: ERANGE, " .. fits,
            "sign: ERANGE, " .. fits,
            "1 1",
            "unsigned: ERANGE, " .. exactly,
            "as i64: ERANGE, " .. fits,
            "1",
            "2.5 4 2.5",
            "fraction: ERANGE, " .. fits,
            "large: ERANGE, " .. fits,
            "empty right: EARG, an operand is an empty lun::array",
            "empty left: EARG, an operand is an empty lun::array",
            "both: EARG, no operand is an array with elements",
            "number: EARG, no operand is an array with elements",
            "negated: EARG, no operand is an array with elements",
            "method: EARG, the lun::array is empty",
            "where: EARG, an operand is an empty lun::array",
            "6 13 8",
            "100 0.1.0",
            "1",
            "",
        }, "\n"), run(program))
    end)
end)
