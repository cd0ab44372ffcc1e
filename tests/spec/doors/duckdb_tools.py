"""Random tables through Parquet files, queries and databases: pyarrow and DuckDB write and read them.
usage: python duckdb_tools.py LIBRARY SCENE PROGRAM FOLDER; prints the number of comparisons."""
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


def lunarray(script, *args):
    with open(folder + "/script.lua", "w") as f:
        f.write(script)
    done = subprocess.run([program, folder + "/script.lua", *args], capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def read(path):
    return ipc.open_file(path).read_all()


def kept(t):
    """What Parquet has types for in every writer."""
    return t.drop_columns(["float16", "duration"])


def large(n):
    return pa.table({"i": pa.array(range(n)), "x": pa.array([None if k % 7 == 0 else k / 3 for k in range(n)]),
                     "b": pa.array([k % 3 == 0 for k in range(n)]),
                     "s": pa.array([tools.LETTERS[k % 7] for k in range(n)], pa.large_string()),
                     "u": pa.array([str(k) for k in range(n)], pa.large_string())})


LOAD = "assert(lun.save(arg[2], assert(lun.load(arg[1]))))"


def loaded(path, script=LOAD):
    lunarray(script, path, folder + "/back.arrow")
    return read(folder + "/back.arrow")


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
    for n in (65536, 122881, 1000000):
        parquet.write_table(large(n), folder + "/in.parquet")
        tools.same(large(n), loaded(folder + "/in.parquet"))
        streamed = "lun.save(arg[2], lun.sql(\"from '\" .. arg[1] .. \"'\", nil, nil, {stream = true}))"
        tools.same(large(n), loaded(folder + "/in.parquet", streamed))
    t = pa.table([pa.array([k, None]) for k in range(10000)], names=["column %d" % k for k in range(10000)])
    parquet.write_table(t, folder + "/in.parquet")
    tools.same(t, loaded(folder + "/in.parquet"))


def queries():
    """Tables that go into queries come out as they were."""
    rng = random.Random(22)
    script = "local t = lun.load(arg[1]) lun.save(arg[2], lun.sql('select * from t', {t = t}))"
    for n in SIZES:
        for gaps in (0, 0.3, 1):
            t = tools.table(n, rng, gaps)
            path = folder + "/in.arrow"
            with ipc.new_file(path, t.schema) as w:
                w.write_table(t)
            wide = t.set_column(t.column_names.index("float16"), "float16", t["float16"].cast(pa.float32()))
            tools.same(wide, loaded(path, script))
            got = lunarray("local t = lun.load(arg[1]) print(lun.sql('select count(few) as n, count(distinct few) as d, "
                           "sum(int64) filter (where int64 between -9 and 9) as s from t', {t = t}).n[1])", path)
            assert int(got) == n - t["few"].null_count
    for n in (122880, 122881, 1000000):
        with ipc.new_file(folder + "/in.arrow", large(n).schema) as w:
            w.write_table(large(n))
        tools.same(large(n), loaded(folder + "/in.arrow", script))


globals()[sys.argv[2]]()
print(tools.compared, "compared")
