"""Random tables through files and the program and back: pyarrow, pandas and polars write and read them.
usage: python arrowfile_tools.py LIBRARY SCENE,SCENE,... PROGRAM FOLDER; prints the number of comparisons of each."""
import random
import subprocess
import sys

import arrow_tools as tools
import pandas
import polars
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc

program, folder = sys.argv[3:5]
CODECS = (None, "lz4", "zstd")


def lunarray(script, *args, data=None):
    with open(folder + "/script.lua", "w") as f:
        f.write(script)
    done = subprocess.run([program, folder + "/script.lua", *args], input=data, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def written(t, path, rows=None, **options):
    new = ipc.new_stream if path.endswith(".arrows") else ipc.new_file
    with new(path, t.schema, options=ipc.IpcWriteOptions(**options)) as w:
        w.write_table(t, max_chunksize=rows)
    return path


def read(path):
    return (ipc.open_stream if path.endswith(".arrows") else ipc.open_file)(path).read_all()


SAVES = [(a, o) for a in ("arrow", "arrows") for o in ("{}", "{compression = 'lz4'}", "{compression = 'zstd'}",
                                                          "{text = 'dictionary'}")]


def through(t, path):
    """What the program reads of a file it writes in every form, and gives back by lun.open too."""
    script = "local t = assert(lun.load(arg[1])) assert(lun.open(arg[1]) == t)"
    for k, (extension, options) in enumerate(SAVES):
        script += " assert(lun.save(arg[2] .. '/back%d.%s', t, %s))" % (k, extension, options)
    lunarray(script, path, folder)
    for k, (extension, options) in enumerate(SAVES):
        back = read("%s/back%d.%s" % (folder, k, extension))
        back.validate(full=True)
        tools.same(t, back)


def random_files():
    rng = random.Random(11)
    for n in (0, 1, 2, 9, 64, 2047, 2048, 2049):
        for gaps in (0, 0.3, 1):
            t = tools.table(n, rng, gaps)
            path = rng.choice(["arrow", "arrows"])
            rows = rng.choice([None, 1, 7, 64, 1000])
            through(t, written(t, "%s/in.%s" % (folder, path), None if n > 500 and rows == 1 else rows,
                               compression=rng.choice(CODECS)))


def other_writers():
    rng = random.Random(12)
    for gaps in (0, 0.3):
        t = tools.table(300, rng, gaps)
        feather.write_feather(t, folder + "/in.feather", compression=rng.choice(["lz4", "zstd", "uncompressed"]), chunksize=77)
        through(t, folder + "/in.feather")
        p = polars.from_arrow(t)
        p.write_ipc(folder + "/in.ipc", compression=rng.choice(["lz4", "zstd", "uncompressed"]))
        through(tools.EngineTable(p).back(), folder + "/in.ipc")
        p.write_ipc_stream(folder + "/in.arrows")
        through(tools.EngineTable(p).back(), folder + "/in.arrows")
        same = polars.read_ipc(folder + "/back0.arrow")
        tools.same(t, tools.EngineTable(same).back())
        frame = pandas.DataFrame({"n": [1, 2, 3], "s": ["a", None, "long " * 9]})
        frame.to_feather(folder + "/in.feather")
        back = lunarray("local t = lun.load(arg[1]) lun.save(arg[2], t)", folder + "/in.feather", folder + "/out.feather")
        assert back == b""
        again = pandas.read_feather(folder + "/out.feather")
        assert [x if isinstance(x, str) else None for x in again["s"]] == ["a", None, "long " * 9], again
        import duckdb
        r = read(folder + "/back0.arrow").drop_columns(["float16"])
        got = duckdb.connect().sql("select count(int64) from r").fetchall()[0]
        assert got[0] == 300 - t["int64"].null_count


def large_file(n):
    t = tools.large(n)
    through(t, written(t, folder + "/in.arrow", 100000, compression="zstd" if n % 2 else None))


def million_rows():
    large_file(1000000)


def many_columns():
    through(tools.wide(10000), written(tools.wide(10000), folder + "/in.arrow", 1))


def large_files():
    for n in (65535, 65536, 65537, 122881):
        large_file(n)
    through(tools.wide(1000), written(tools.wide(1000), folder + "/in.arrow", 1))
    t = pa.table({})
    lunarray("local t = lun.load(arg[1]) assert(lun.save(arg[1], t) and #lun.load(arg[1]) == 0)", written(t, folder + "/in.arrow"))
    assert read(folder + "/in.arrow").num_columns == 0


def pipes():
    rng = random.Random(13)
    t = tools.table(1000, rng, 0.2)
    path = written(t, folder + "/in.arrows", 100)
    data = open(path, "rb").read()
    out = lunarray("assert(lun.save('/dev/stdout', lun.load('/dev/stdin', {format = 'arrows'}), {format = 'arrows'}))", data=data)
    tools.same(t, ipc.open_stream(out).read_all())
    out = lunarray("assert(lun.save('/dev/stdout', lun.load(io.stdin, {format = 'arrows'}), {format = 'arrow'}))", data=data)
    tools.same(t, ipc.open_file(out).read_all())


tools.play(globals(), sys.argv[2])
