"""Tables through the engine and back, by Arrow's C stream interface: pyarrow, polars, pandas, DuckDB and nanoarrow compare
what comes out with what went in. usage: python arrow_tools.py LIBRARY SCENE,SCENE,...; prints the number of comparisons of each."""
import ctypes
import datetime
import math
import random
import sys
import traceback

import pyarrow as pa

lib = ctypes.CDLL(sys.argv[1])
P = ctypes.c_void_p
lib.lun_error.restype = ctypes.c_char_p
lib.lun_error.argtypes = [P]
engine = P()
assert lib.lun_open(None, ctypes.byref(engine)) == 0
compared = 0


class Stream(ctypes.Structure):
    _fields_ = [(name, P) for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")]


class EngineTable:
    """A lun_table, and the protocol by which every library takes one."""

    def __init__(self, source, options=None):
        stream = Stream()
        pa.RecordBatchReader.from_stream(source)._export_to_c(ctypes.addressof(stream))
        self.table = P()
        code = lib.lun_from_arrow_stream(engine, ctypes.byref(stream), options, ctypes.byref(self.table))
        if code:
            text = lib.lun_error(engine).decode()
            assert stream.release  # still the caller's
            self.table = None
            raise ValueError(text)
        assert not stream.release

    def stream(self, options=None):
        out = Stream()
        code = lib.lun_to_arrow_stream(engine, self.table, options, ctypes.byref(out))
        assert code == 0, lib.lun_error(engine)
        return out

    def back(self, options=None):
        out = self.stream(options)
        return pa.RecordBatchReader._import_from_c(ctypes.addressof(out)).read_all()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.back().__arrow_c_stream__()

    def __del__(self):
        if self.table:
            lib.lun_table_release(self.table)


def plain(t):
    """Dictionaries as their values, all texts large_string."""
    columns = []
    for c in t.columns:
        if pa.types.is_dictionary(c.type):
            c = pa.chunked_array([x.dictionary_decode() if not pa.types.is_string_view(x.type.value_type) else
                                  pa.array(x.to_pylist(), pa.large_string()) for x in c.chunks], None if c.num_chunks else
                                 pa.large_string())
        if pa.types.is_string_view(c.type) or pa.types.is_string(c.type):
            c = pa.chunked_array([pa.array(x.to_pylist(), pa.large_string()) for x in c.chunks], pa.large_string())
        columns.append(c)
    return pa.table(columns, names=t.column_names)


def same(a, b):
    """Values and missing rows; NaN equals NaN."""
    global compared
    assert a.column_names == b.column_names, (a.column_names, b.column_names)
    assert a.num_rows == b.num_rows, (a.num_rows, b.num_rows)
    for name, x, y in zip(a.column_names, plain(a).columns, plain(b).columns):
        assert x.type == y.type, (name, x.type, y.type)
        assert x.null_count == y.null_count, (name, x.null_count, y.null_count)
        if not x.equals(y):
            for k, (p, q) in enumerate(zip(x.to_pylist(), y.to_pylist())):
                assert p == q or (isinstance(p, float) and math.isnan(p) and math.isnan(q)), (name, k, p, q)
        compared += len(x)


ENDS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
LETTERS = ["a", "rain", "", "é", "日本語", "x" * 12, "y" * 13, "z" * 70000, "𝛑"]


def column(kind, n, rng, gaps):
    def values():
        if kind in ENDS:
            top = 2 ** (ENDS[kind] - 1)
            return [rng.choice([-top, top - 1, 0, rng.randrange(-top, top)]) for _ in range(n)]
        if kind.startswith("uint"):
            top = 2 ** int(kind[4:])
            return [rng.choice([0, top - 1, rng.randrange(top)]) for _ in range(n)]
        if kind in ("float16", "float32", "float64"):
            import numpy
            special = [math.nan, math.inf, -math.inf, -0.0, 1.5]
            return [getattr(numpy, kind)(rng.choice(special + [rng.uniform(-1e4, 1e4)])) for _ in range(n)]
        if kind == "bool_":
            return [rng.random() < 0.5 for _ in range(n)]
        if kind == "date32":
            return [datetime.date.fromordinal(rng.randrange(1, 3652059)) for _ in range(n)]
        if kind in ("timestamp", "duration"):
            return [rng.randrange(-2 ** 55, 2 ** 55) for _ in range(n)]
        if kind == "few":
            return [rng.choice(LETTERS[:7]) for _ in range(n)]
        return ["%d %s" % (rng.randrange(10 ** 9), rng.choice(LETTERS if n < 200 else LETTERS[:7])) for _ in range(n)]
    types = {"timestamp": pa.timestamp("us"), "duration": pa.duration("us"), "few": pa.large_string(), "many": pa.large_string()}
    type_ = types[kind] if kind in types else getattr(pa, kind)()
    list_ = [None if gaps and rng.random() < gaps else x for x in values()]
    return pa.array(list_, type_)


KINDS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bool_",
         "date32", "timestamp", "duration", "few", "many"]


def table(n, rng, gaps):
    return pa.table({kind: column(kind, n, rng, gaps) for kind in KINDS})


def random_tables():
    rng = random.Random(7)
    for n in (0, 1, 2, 7, 8, 9, 63, 2047, 2048, 2049):
        for gaps in (0, 0.3, 1):
            t = table(n, rng, gaps)
            e = EngineTable(t)
            same(t, e.back())
            for text in (b"utf8_view", b"large_utf8", b"utf8"):
                same(t, e.back(b"{text = '%s'}" % text))
            same(t, EngineTable(e.back(b"{rows = 5}")).back())


def large(n):
    return pa.table({"i": pa.array(range(n)), "x": pa.array([None if k % 7 == 0 else k / 3 for k in range(n)]),
                     "b": pa.array([k % 3 == 0 for k in range(n)]),
                     "s": pa.array([LETTERS[k % 7] for k in range(n)], pa.large_string()),
                     "u": pa.array([str(k) for k in range(n)], pa.large_string())})


def wide(n):
    return pa.table([pa.array([k, None]) for k in range(n)], names=["column %d" % k for k in range(n)])


def million_rows():
    t = large(1000000)
    same(t, EngineTable(t).back(b"{rows = 65536}"))


def many_columns():
    same(wide(10000), EngineTable(wide(10000)).back())


def large_tables():
    for n in (65536, 122881):
        t = large(n)
        same(t, EngineTable(t).back(b"{rows = 65536}"))
    same(wide(1000), EngineTable(wide(1000)).back())
    t = pa.table({})
    assert EngineTable(t).back().num_columns == 0


def sliced_and_chunked():
    rng = random.Random(9)
    for gaps in (0, 0.3, 1):
        t = table(300, rng, gaps)
        for first, n in ((0, 300), (1, 100), (3, 0), (8, 64), (13, 250), (299, 1)):
            same(t.slice(first, n), EngineTable(t.slice(first, n)).back())
        parts = [t.slice(0, 0), t.slice(5, 17), t.slice(100, 1), t.slice(7, 90), t.slice(0, 0)]
        whole = pa.concat_tables(parts)
        same(whole, EngineTable(whole).back())
        empty = pa.RecordBatchReader.from_batches(t.schema, iter(()))
        same(t.slice(0, 0), EngineTable(empty).back())
    # dictionaries, of texts, numbers and dates, that change from batch to batch, with a missing value among the values
    day = datetime.date(1969, 12, 31)
    a = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2], pa.int8()), pa.array(["x", None, "a long text of 20 bytes"]))
    b = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), pa.array(["x", "new"]))
    t = pa.table({"d": pa.chunked_array([a, b])})
    assert EngineTable(t).back()["d"].to_pylist() == ["x", None, None, "a long text of 20 bytes", "new", "x"]
    for values in (pa.array([10, 20, 30]), pa.array([0.5, None, 2.5]), pa.array([day, day, None])):
        for index in (pa.int8(), pa.uint16(), pa.int64()):
            d = pa.DictionaryArray.from_arrays(pa.array([2, None, 0, 1, 0], index), values)
            back = EngineTable(pa.table({"d": d}).slice(1, 4)).back()
            assert back["d"].to_pylist() == d.to_pylist()[1:], back


def other_types():
    def one(array, options=None):
        return EngineTable(pa.table({"c": array}), options).back()["c"].to_pylist()

    def refused(array, words, options=None):
        global compared
        compared += 1
        try:
            EngineTable(pa.table({"c": array}), options)
        except ValueError as failure:
            assert words in str(failure), failure
        else:
            raise AssertionError(words)

    when = datetime.datetime(1969, 12, 31, 23, 59, 59)
    for unit in ("s", "ms", "us", "ns"):
        assert one(pa.array([when, None], pa.timestamp(unit))) == [when, None]
        assert one(pa.array([when], pa.timestamp(unit, "Europe/Berlin"))) == [when]
        assert one(pa.array([datetime.timedelta(seconds=-3), None], pa.duration(unit))) == [datetime.timedelta(seconds=-3), None]
    for type_ in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")):
        assert one(pa.array([datetime.time(1, 2, 3)], type_)) == [datetime.timedelta(seconds=3723)]
    assert one(pa.array([1500, None, -1500], pa.timestamp("ns")), b"{nanoseconds = 'floor'}") == [
        datetime.datetime(1970, 1, 1, 0, 0, 0, 1), None, datetime.datetime(1969, 12, 31, 23, 59, 59, 999998)]
    refused(pa.array([1000, 1500], pa.timestamp("ns")), "column 'c': row 2 is no whole microsecond")
    refused(pa.array([2 ** 60], pa.timestamp("s")), "column 'c': row 1 is beyond the range")
    day = datetime.date(1969, 12, 31)
    assert one(pa.array([day, None], pa.date64())) == [day, None]
    part = EngineTable(pa.table({"c": pa.Array.from_buffers(pa.date64(), 2, [None, pa.array([0, 1]).buffers()[1]])})).back()
    assert part["c"].type == pa.timestamp("us"), part
    assert one(pa.array(["a", None, "b"], pa.string())) == one(pa.array(["a", None, "b"], pa.string_view()))
    assert one(pa.nulls(3)) == [None] * 3
    from decimal import Decimal
    d = [Decimal("123456789012.25"), None, Decimal("-0.01")]
    assert one(pa.array(d, pa.decimal128(30, 2))) == [123456789012.25, None, -0.01]
    big = [Decimal("1701411834604692317316873037158841.05")]
    refused(pa.array(big, pa.decimal128(38, 2)), "1701411834604692317316873037158841.05 (row 1) has more than 15 digits")
    assert one(pa.array(big, pa.decimal128(38, 2)), b"{decimals = 'f64'}") == [float(big[0])]
    assert one(pa.array(big + [Decimal("-0.05")], pa.decimal128(38, 2)), b"{decimals = 'text'}") == [str(big[0]), "-0.05"]
    blobs = [b"\x00\xff", b"", None, b"abc", b"abcd"]
    for type_ in (pa.binary(), pa.large_binary(), pa.binary_view()):
        refused(pa.array(blobs, type_), "bytes are no text")
        assert one(pa.array(blobs, type_), b"{blobs = 'hex'}") == ["00ff", "", None, "616263", "61626364"]
        assert one(pa.array(blobs, type_), b"{blobs = 'base64'}") == ["AP8=", "", None, "YWJj", "YWJjZA=="]
    assert one(pa.array([b"ab", None], pa.binary(2)), b"{blobs = 'hex'}") == ["6162", None]
    refused(pa.array([[1], []], pa.list_(pa.int64())), "column 'c' is list<int64>: unnest it first")
    refused(pa.array([{"a": 1}]), "column 'c' is struct<int64>: unnest it first")
    refused(pa.array([Decimal("1")], pa.decimal256(50, 1)), "no dtype corresponds")
    bad = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"a\xff")])
    refused(bad, "column 'c': row 2 is not UTF-8 text")
    refused(pa.array(["x", "a\0b"]), "column 'c': row 2 holds a NUL byte")
    twice = pa.table([pa.array([1]), pa.array([2]), pa.array([3]), pa.array([4])], names=["x", "x", "", "x"])
    assert EngineTable(twice).back().column_names == ["x", "x_2", "c3", "x_3"]


def missing_entry():
    """Entry 0 of a dictionary, which stands for what is missing, is no other value."""
    for words in (["", None, "a"], ["<NA>", None, "a"], ["<NA>", "<NA>_2", None], [None, None], []):
        t = pa.table({"s": pa.array(words, pa.large_string())})
        e = EngineTable(t)
        for _ in range(3):
            values = e.back()["s"].combine_chunks().dictionary.to_pylist() if words else []
            assert len(set(values)) == len(values), values
            assert len(values) <= 3, values  # unused ones do not pile up
            same(t, e.back())
            assert [x if isinstance(x, str) else None for x in e.back().to_pandas()["s"]] == words
            e = EngineTable(e)


def addresses():
    """0 bytes are copied: the buffers that come out are those that went in."""
    t = pa.table({"i": pa.array(range(1000)), "f": pa.array([k / 4 for k in range(1000)], pa.float32()),
                  "d": pa.array([datetime.date(2024, 1, 1)] * 1000), "w": pa.array([when_ for when_ in range(1000)],
                                                                                   pa.timestamp("us"))})
    back = EngineTable(t).back()
    for name in t.column_names:
        assert t[name].chunk(0).buffers()[1].address == back[name].chunk(0).buffers()[1].address, name
        part = EngineTable(t.slice(5, 20)).back()
        x = part[name].chunk(0)
        assert x.buffers()[1].address + x.offset * 8 >= t[name].chunk(0).buffers()[1].address
        global compared
        compared += 1
    x = pa.array([1.5, math.nan, 2.5], mask=__import__("numpy").array([False, True, False]))
    del t
    same(back, back)


def libraries():
    rng = random.Random(10)
    import duckdb
    import nanoarrow
    import pandas
    import polars
    for gaps in (0, 0.3, 1):
        t = table(500, rng, gaps).drop_columns(["float16"])
        e = EngineTable(t)
        p = polars.DataFrame(e)
        assert p.shape == (500, len(KINDS) - 1)
        same(t, EngineTable(p).back())
        f = pandas.DataFrame.from_arrow(e) if hasattr(pandas.DataFrame, "from_arrow") else e.back().to_pandas()
        assert f.shape == (500, len(KINDS) - 1)
        numbers = t.select(["int64", "uint8"])
        if not gaps:
            same(numbers, EngineTable(pandas.DataFrame({n: f[n] for n in numbers.column_names})).back())
        words = pandas.DataFrame({"s": ["a", None, "text", ""]})
        assert EngineTable(words).back()["s"].to_pylist() == ["a", None, "text", ""]
        q = duckdb.connect()
        r = e.back(b"{text = 'utf8_view'}")
        got = q.sql("select * exclude duration from r").to_arrow_table()  # which DuckDB gives as an interval
        same(t.drop_columns(["duration"]), EngineTable(got).back())
        sums = q.execute("select count(int64), sum(int64::hugeint), count(many) from r").fetchone()
        assert sums[0] == 500 - t["int64"].null_count and sums[2] == 500 - t["many"].null_count
        assert sums[1] == (sum(x for x in t["int64"].to_pylist() if x is not None) if sums[0] else None)
        n = nanoarrow.ArrayStream(e.back(b"{text = 'large_utf8'}")).read_all()
        assert len(n) == 500


def play(scenes, names):
    """Runs scenes by their names; a failure is shown, and the others run nevertheless."""
    failed = False
    for name in names.split(","):
        before = compared
        try:
            scenes[name]()
            print("%s: %d compared" % (name, compared - before), flush=True)
        except Exception:
            print("%s failed:\n%s" % (name, traceback.format_exc()), flush=True)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    play(globals(), sys.argv[2])
