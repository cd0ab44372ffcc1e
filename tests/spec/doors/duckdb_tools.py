"""Random tables through Parquet files, queries and databases: pyarrow and DuckDB write and read them.
usage: python duckdb_tools.py LIBRARY SCENE,SCENE,... PROGRAM FOLDER; prints the number of comparisons of each."""
import atexit
import random
import subprocess
import sys

import arrow_tools as tools
import duckdb
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet

program, folder = sys.argv[3:5]
SIZES = (0, 1, 2, 2047, 2048, 2049)


# A program that runs a script a line, of words between tabs: a Lua text and its arguments. It loads DuckDB once.
RUN = """for line in io.lines() do
    local words = {}
    for word in line:gmatch "[^\\t]+" do words[#words + 1] = word end
    arg = table.move(words, 2, #words, 1, {})
    io.write(tostring((assert(load("return " .. words[1]))()())), "\\n")
    io.flush()
end"""
running = []


def lunarray(script, *args):
    """What the script returns, as a text."""
    if not running:
        with open(folder + "/run.lua", "w") as f:
            f.write(RUN)
        running.append(subprocess.Popen([program, folder + "/run.lua"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        atexit.register(running[0].communicate)
    running[0].stdin.write("\t".join(("function() %s end" % script,) + args) + "\n")
    running[0].stdin.flush()
    said = running[0].stdout.readline()
    assert said, "the program ended with status %d" % running.pop().wait()
    return said


def read(path):
    return ipc.open_file(path).read_all()


def kept(t):
    """What Parquet has types for in every writer."""
    return t.drop_columns(["float16", "duration"])


LOAD = "assert(lun.save(arg[2], assert(lun.load(arg[1]))))"


def loaded(path, script=LOAD):
    lunarray(script, path, folder + "/back.arrow")
    return read(folder + "/back.arrow")


def read_back(t):
    parquet.write_table(t, folder + "/in.parquet")
    tools.same(t, loaded(folder + "/in.parquet"))


def large_read(t):
    read_back(t)
    streamed = "lun.save(arg[2], lun.sql(\"from '\" .. arg[1] .. \"'\", nil, nil, {stream = true}))"
    tools.same(t, loaded(folder + "/in.parquet", streamed))


def many_columns():
    read_back(tools.wide(10000))


def reading():
    rng = random.Random(21)
    for n in SIZES:
        for gaps in (0, 0.3, 1):
            t = kept(tools.table(n, rng, gaps))
            path = folder + "/in.parquet"
            parquet.write_table(t, path, row_group_size=rng.choice([1000, 100000]), use_dictionary=rng.random() < 0.5,
                                compression=rng.choice(["snappy", "zstd", "none", "gzip"]))
            tools.same(t, loaded(path))
            duckdb.from_arrow(t).write_parquet(path)
            tools.same(t, loaded(path))
    for n in (65536, 122881):
        large_read(tools.large(n))
    read_back(tools.wide(1000))


ALL = "local t = lun.load(arg[1]) lun.save(arg[2], lun.sql('select * from t', {t = t}))"


def large_query(t):
    with ipc.new_file(folder + "/in.arrow", t.schema) as w:
        w.write_table(t)
    tools.same(t, loaded(folder + "/in.arrow", ALL))


def million_rows():
    t = tools.large(1000000)
    large_read(t)
    large_query(t)


def queries():
    """Tables that go into queries come out as they were."""
    rng = random.Random(22)
    for n in SIZES:
        for gaps in (0, 0.3, 1):
            t = tools.table(n, rng, gaps)
            path = folder + "/in.arrow"
            with ipc.new_file(path, t.schema) as w:
                w.write_table(t)
            wide = t.set_column(t.column_names.index("float16"), "float16", t["float16"].cast(pa.float32()))
            tools.same(wide, loaded(path, ALL))
            got = lunarray("local t = lun.load(arg[1]) return lun.sql('select count(few) as n, count(distinct few) as d, "
                           "sum(int64) filter (where int64 between -9 and 9) as s from t', {t = t}).n[1]", path)
            assert int(got) == n - t["few"].null_count
    for n in (122880, 122881):
        large_query(tools.large(n))


def writing():
    """What the program writes is what pyarrow and DuckDB read."""
    rng = random.Random(23)
    for n in SIZES + (65536, 122881):
        for gaps in (0, 0.3, 1) if n < 60000 else (0,):
            t = kept(tools.table(n, rng, gaps)) if n < 60000 else tools.large(n)
            path = folder + "/in.arrow"
            with ipc.new_file(path, t.schema) as w:
                w.write_table(t)
            out = folder + "/out.parquet"
            lunarray("assert(lun.save(arg[2], lun.load(arg[1]), {compression = arg[3], rows = tonumber(arg[4])}))", path, out,
                     rng.choice(["snappy", "zstd", "none"]), rng.choice(["2048", "122880"]))
            tools.same(t, parquet.read_table(out))
            got = duckdb.sql("select * from '%s'" % out)
            tools.same(t, (got.to_arrow_table if hasattr(got, "to_arrow_table") else got.arrow)())


def databases():
    rng = random.Random(24)
    for n in SIZES:
        t = kept(tools.table(n, rng, 0.3))
        with ipc.new_file(folder + "/in.arrow", t.schema) as w:
            w.write_table(t)
        lunarray("assert(lun.save(arg[2], lun.load(arg[1]), {table = 't'}))", folder + "/in.arrow", folder + "/a.duckdb")
        with duckdb.connect(folder + "/a.duckdb") as db:
            got = db.sql("from t")
            tools.same(t, (got.to_arrow_table if hasattr(got, "to_arrow_table") else got.arrow)())
            db.register("given", t)
            db.sql("create or replace table u as from given")
        tools.same(t, loaded(folder + "/a.duckdb", "lun.save(arg[2], lun.load(arg[1], {table = 'u'}))"))


def host():
    """lun_sql of a host in C: tables, parameters, rows changed, failures, limits of time, cancelling."""
    import ctypes
    import threading
    import time
    lib, engine, P = tools.lib, tools.engine, tools.P

    class Variant(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("length", ctypes.c_size_t), ("value", ctypes.c_void_p)]

    def sql(text, options=None, **tables):
        out = Variant()
        names = (ctypes.c_char_p * (len(tables) + 1))(*[name.encode() for name in tables])
        given = (P * (len(tables) + 1))(*[t.table for t in tables.values()])
        code = lib.lun_sql(engine, text.encode(), names, given, ctypes.c_int64(len(tables)), options, ctypes.byref(out))
        return code, out

    def rows(text, options=None, **tables):
        code, out = sql(text, options, **tables)
        assert code == 0, lib.lun_error(engine)
        assert out.type == 6, out.type
        t = tools.EngineTable.__new__(tools.EngineTable)
        t.table = P(out.value)
        tools.compared += 1
        return t.back()

    t = pa.table({"k": [1, 2, 3], "s": ["a", None, "long " * 9]})
    e = tools.EngineTable(t)
    tools.same(t, rows("select * from t", t=e))
    assert rows("select sum(k) as n from t where k > ?", b"{parameters = {1}}", t=e)["n"].to_pylist() == [5]
    assert rows("select a.k from a join b on a.k = b.k + 1", a=e, b=e)["k"].to_pylist() == [2, 3]
    code, out = sql("create table kept as select 1 as i")
    assert code == 0 and out.type == 2, (code, out.type)
    for text, options, part in (("select * from nope", None, b"nope does not exist"), ("select [1] as l", None, b"column 'l' is INTEGER[]"),
                                ("select 1; select 2", None, b"one statement expected"), ("select 1", b"{file = 1}", b"unknown option 'file'"),
                                ("select ?", None, b"parameter 1 is missing")):
        code, _ = sql(text, options)
        assert code != 0 and part in lib.lun_error(engine), (text, code, lib.lun_error(engine))
    slow = "select count(*) as n from range(100000000) a, range(100000) b where a.range * b.range % 17 = 3"
    lib.lun_time_limit.argtypes = [P, ctypes.c_double]
    assert lib.lun_time_limit(engine, 0.5) == 0
    code, _ = sql(slow)
    assert code != 0 and b"time limit reached" in lib.lun_error(engine), lib.lun_error(engine)
    assert lib.lun_time_limit(engine, 0.0) == 0
    tools.same(t, rows("select * from t", t=e))
    stop = threading.Timer(0.5, lambda: lib.lun_cancel(engine))
    stop.start()
    code, _ = sql(slow)
    stop.join()
    assert code != 0 and b"interrupted" in lib.lun_error(engine), lib.lun_error(engine)
    tools.same(t, rows("select * from t", t=e))

    def ask(_, __, args, count, results, given):  # a query inside of a callback of the host's, which a script calls
        seen = rows("select sum(k) as n from t where k > 1", t=e)["n"].to_pylist()
        results[0] = Variant(2, 0, seen[0])
        given[0] = 1
        return 0 if sql("select * from nope")[0] else 1

    Native = ctypes.CFUNCTYPE(ctypes.c_int, P, P, ctypes.POINTER(Variant), ctypes.c_int, ctypes.POINTER(Variant),
                              ctypes.POINTER(ctypes.c_int))
    native = Native(ask)
    lib.lun_register.argtypes = [P, ctypes.c_char_p, Native, P]
    assert lib.lun_register(engine, b"ask", native, None) == 0
    script = (b"local r = lun.vector{'a', 'b'}:map(function(s) return s .. ask() end)\n"
              b"assert(r[2] == 'b5' and lun.sql('select ? + 1 as n', nil, {ask()}).n[1] == 6, r[2])")
    assert lib.lun_dostring(engine, script) == 0, lib.lun_error(engine)
    tools.same(t, rows("select * from t", t=e))


def killed_often():
    killed(12)


def killed(times=3):
    """A program that is killed while it saves leaves the old file or the new one, whole."""
    import os
    import time
    rng = random.Random(25)
    path = folder + "/kept.parquet"
    script = folder + "/kill.lua"
    with open(script, "w") as f:
        f.write("local t = lun.table{a = lun.index(300000), s = ('x' .. lun.index(300000))} t.b = t.a * tonumber(arg[2]) "
                "while true do assert(lun.save(arg[1], t)) end")
    parquet.write_table(pa.table({"a": [1]}), path)
    for k in range(times):
        p = subprocess.Popen([program, script, path, str(k)])
        time.sleep(rng.uniform(0.3, 1.2))
        assert p.poll() is None  # it was saving
        p.kill()
        p.wait()
        t = parquet.read_table(path)
        assert t.num_rows in (1, 300000)
        tools.compared += 1
    lunarray("assert(lun.save(arg[1], {a = {1}}))", path)
    assert [x for x in os.listdir(folder) if "kept" in x] == ["kept.parquet"], os.listdir(folder)


tools.play(globals(), sys.argv[2])
