"""Writes the files of tests/spec/doors/arrowfiles by pyarrow, pandas and polars, once; arrowfile_spec.lua knows what they
hold. usage: python arrowfile_make.py FOLDER"""
import datetime
import sys
from decimal import Decimal

import pandas
import polars
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc as ipc

folder = sys.argv[1]
LONG = "a text of more than twelve bytes, é 日本"
day = datetime.date
when = datetime.datetime(1969, 12, 31, 23, 59, 59, 250000)

plain = pa.table({
    "i8": pa.array([-128, None, 127], pa.int8()), "u64": pa.array([0, None, 2 ** 64 - 1], pa.uint64()),
    "f16": pa.array([1.5, None, -2.0], pa.float16()), "f32": pa.array([0.1, None, float("inf")], pa.float32()),
    "f64": pa.array([float("nan"), None, -0.0]), "bool": pa.array([True, None, False]),
    "text": pa.array(["", None, LONG]), "large": pa.array([LONG, None, "b"], pa.large_string()),
    "view": pa.array([LONG, None, "b"], pa.string_view()),
    "date": pa.array([day(1, 1, 1), None, day(9999, 12, 31)]), "ms": pa.array([when, None, when], pa.timestamp("ms", "UTC")),
    "us": pa.array([when, None, when], pa.timestamp("us")), "time": pa.array([datetime.time(1, 2, 3), None, None], pa.time32("s")),
    "duration": pa.array([datetime.timedelta(seconds=-1), None, datetime.timedelta(0)]),
    "null": pa.nulls(3), "decimal": pa.array([Decimal("1.25"), None, Decimal("-0.01")], pa.decimal128(9, 2)),
})


def write(name, t, stream=False, rows=None, **options):
    new = ipc.new_stream if stream else ipc.new_file
    with new("%s/%s" % (folder, name), t.schema, options=ipc.IpcWriteOptions(**options)) as w:
        w.write_table(t, max_chunksize=rows)


write("pyarrow.arrow", plain)
write("pyarrow-batches.arrow", plain, rows=1)
write("pyarrow-zstd.arrow", plain, compression="zstd")
write("pyarrow-lz4.arrows", plain, stream=True, rows=2, compression="lz4")
write("pyarrow-v4.arrows", plain.drop_columns(["view"]), stream=True, metadata_version=ipc.MetadataVersion.V4,
      use_legacy_format=True)
small = pandas.DataFrame({"n": [1, 2, 3], "s": ["a", None, LONG], "x": [0.5, None, 2.5]})
small.to_feather(folder + "/pandas.feather")
polars.DataFrame({"n": [1, 2, 3], "s": ["a", None, LONG], "x": [0.5, None, 2.5]}).write_ipc(folder + "/polars.ipc")
nested = pa.table({"n": [1, 2], "tags": [[1, 2], None], "point": [{"x": 1, "w": "v"}, None], "s": ["a", "b"],
                   "v": pa.array(["c", LONG], pa.string_view()), "blob": pa.array([b"\x00\xff", b""])})
write("nested.arrow", nested)

# Dictionaries that are replaced, and that grow.
words = [["x", "y"], ["x", "y", LONG], ["z", None]]
codes = [[0, 1, None], [2, 0], [1, 0]]
batches = [pa.record_batch({"d": pa.DictionaryArray.from_arrays(pa.array(c, pa.int8()), pa.array(w))})
           for c, w in zip(codes, words)]
with ipc.new_stream(folder + "/replaced.arrows", batches[0].schema) as w:
    for b in batches:
        w.write_batch(b)
with ipc.new_file(folder + "/grown.arrow", batches[0].schema, options=ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as w:
    for b in batches[:2]:
        w.write_batch(b)
numbers = [pa.record_batch({k: pa.DictionaryArray.from_arrays(pa.array(c, pa.int8()), v) for k, v in {
    "f": pa.array([0.5, None, 2.5][:n]), "b": pa.array([True, False, None][:n]),
    "v": pa.array(["p", LONG, LONG + "!"][:n], pa.string_view()),
    "u": pa.array(["p", None, LONG][:n], pa.large_string())}.items()})
    for c, n in (([0, 1], 2), ([2, 1, 0], 3))]
with ipc.new_stream(folder + "/grown.arrows", numbers[0].schema, options=ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as w:
    for b in numbers:
        w.write_batch(b)
write("none.arrow", plain.slice(0, 0).select(["i8", "text", "view"]))
write("empty.arrow", pa.table({}))
twice = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["x", "x", ""])
write("twice.arrow", twice.replace_schema_metadata({"who": "pyarrow"}))
