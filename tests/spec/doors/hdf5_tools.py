"""HDF5 files by h5py. usage: python hdf5_tools.py make FILE | bad FOLDER | random FOLDER SEED | compare FOLDER
make: the file hdf5_made.h5; bad: files with what is refused; random: a file random.h5, and each of its arrays as
FOLDER/PATH.npy; compare: whether FOLDER/back.h5 has the arrays of these .npy files; prints how many."""
import os
import random
import sys

import h5py
import numpy as np

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
FLOATS = ["f2", "f4", "f8"]


def extremes(dtype):
    if dtype == "b1":
        return np.array([True, False, True])
    if dtype[0] in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, 0, 1, info.max], dtype)
    info = np.finfo(dtype)
    return np.array([info.min, -0.0, info.tiny, info.smallest_subnormal, np.nan, np.inf, -np.inf, info.max], dtype)


def custom_float(sign, exponent, mantissa, size, order="<"):
    t = (h5py.h5t.IEEE_F64LE if order == "<" else h5py.h5t.IEEE_F64BE).copy()
    t.set_fields(sign, mantissa, exponent, 0, mantissa)
    t.set_size(size)
    t.set_ebias((1 << (exponent - 1)) - 1)
    return t


def low_level(f, name, shape, t, memory, data):
    space = h5py.h5s.create_simple(shape) if shape is not None else h5py.h5s.create(h5py.h5s.NULL)
    d = h5py.h5d.create(f.id, name, t, space)
    if data is not None:
        d.write(h5py.h5s.ALL, h5py.h5s.ALL, data, memory)


def make(path):
    with h5py.File(path, "w") as f:
        for order, group in (("<", "little"), (">", "big")):
            for dtype in INTEGERS + FLOATS:
                f.create_dataset(f"{group}/{dtype}", data=extremes(dtype).astype(order + dtype), dtype=order + dtype)
        f["truth"] = extremes("b1")
        f["scalar"] = np.float64(2.5)
        f["empty"] = np.zeros((0, 3), "i2")
        f["run1/density"] = np.arange(24, dtype="f8").reshape(2, 3, 4)
        f.create_dataset("packed", data=np.arange(600, dtype="i4").reshape(30, 20), chunks=(7, 6), compression="gzip",
                         shuffle=True, fletcher32=True)
        f.create_dataset("filled", shape=(4,), dtype="u2", fillvalue=7, chunks=(2,))
        f["naïve/größe"] = np.array([1, 2], "u1")
        f["text"] = "a text"
        f["records"] = np.zeros(2, np.dtype([("a", "i4"), ("b", "f8")]))
        f["complex"] = np.zeros(2, "c16")
        f["nothing"] = h5py.Empty("f4")
        f["reference"] = f["truth"].ref
        colours = h5py.enum_dtype({"red": 0, "green": 1, "blue": 9}, basetype="u2")
        f.create_dataset("colours", data=np.array([0, 9, 1], "u2"), dtype=colours)
        wide = h5py.enum_dtype({"no": 0, "yes": 1}, basetype=">i4")
        f.create_dataset("wide", data=np.array([1, 0, 1], ">i4"), dtype=wide)
        f["soft"] = h5py.SoftLink("/run1/density")
        f["dangling"] = h5py.SoftLink("/none")
        f["elsewhere"] = h5py.ExternalLink("none.h5", "/x")
        f["run1/around"] = f["/"]
        f["run2"] = f["run1"]
        i24 = h5py.h5t.STD_I32LE.copy()
        i24.set_size(3)
        low_level(f, b"three", (3,), i24, h5py.h5t.NATIVE_INT32, np.array([-8388608, 5, 8388607], "i4"))
        low_level(f, b"brain", (4,), custom_float(15, 8, 7, 2), h5py.h5t.NATIVE_FLOAT,
                  np.array([1.5, -0.0, 3.3895313892515355e38, np.inf], "f4"))
        low_level(f, b"quarter", (5,), custom_float(7, 5, 2, 1), h5py.h5t.NATIVE_FLOAT,
                  np.array([1.25, -0.0, 57344.0, np.inf, 2.0**-16], "f4"))


def bad(folder):
    def file(name):
        return h5py.File(os.path.join(folder, name), "w")

    with file("rank9.h5") as f:
        f["nine"] = np.zeros((1,) * 9)
        f["good"] = np.arange(3)
    with file("wide.h5") as f:
        f["wide"] = np.zeros(2, np.longdouble)
    with file("filter.h5") as f:
        f["good"] = np.arange(3)
        f.create_dataset("lzf", data=np.arange(1000), compression="lzf")
    with file("lying.h5") as f:
        truth = h5py.enum_dtype({"FALSE": 0, "TRUE": 1}, basetype="i1")
        f.create_dataset("t", shape=(3,), dtype=truth)
        f["t"].id.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([0, 5, 1], "i1"), f["t"].id.get_type())
    with file("damaged.h5") as f:
        f.create_dataset("x", data=np.arange(1000), chunks=(100,), fletcher32=True)
        at, size = f["x"].id.get_chunk_info(3).byte_offset, 800
    with open(os.path.join(folder, "damaged.h5"), "r+b") as f:
        f.seek(at + size // 2)
        f.write(b"damage")


def random_file(folder, seed):
    rng, draw = np.random.default_rng(seed), random.Random(seed)
    with h5py.File(os.path.join(folder, "random.h5"), "w") as f:
        for k in range(60):
            dtype = draw.choice(INTEGERS + FLOATS + ["b1"])
            shape = tuple(draw.choice([0, 1, 2, 3, 5, 9, 17]) if draw.random() < 0.9 else 40
                          for _ in range(draw.choice([1, 1, 2, 2, 3, 4, 8])))
            while np.prod(shape) > 200000:
                shape = shape[1:]
            a = np.frombuffer(rng.bytes(int(np.prod(shape)) * np.dtype(dtype).itemsize), dtype).reshape(shape)
            if dtype == "b1":
                a = rng.integers(0, 2, shape).astype(bool)
            elif dtype[0] == "f":
                a = np.where(np.isnan(a), np.array(np.nan, dtype), a)
            how = {}
            if a.size and draw.random() < 0.6:
                how = dict(chunks=tuple(draw.randint(1, n) for n in shape), compression=draw.choice([None, "gzip"]),
                           shuffle=draw.random() < 0.5, fletcher32=draw.random() < 0.5)
            stored = dtype if dtype == "b1" else draw.choice("<>") + dtype
            f.create_dataset(f"g{k % 7}/a{k}", data=a, dtype=stored, **how)
            np.save(os.path.join(folder, f"a{k}.npy"), a.astype(a.dtype.newbyteorder("<")))
        print(60)


def compare(folder):
    count = 0
    with h5py.File(os.path.join(folder, "back.h5"), "r") as f:
        def look(name, d):
            nonlocal count
            if isinstance(d, h5py.Dataset):
                want = np.load(os.path.join(folder, name.split("/")[-1] + ".npy"))
                got = d[()]
                assert got.dtype == want.dtype and got.shape == want.shape, (name, got.dtype, want.dtype, got.shape)
                assert got.tobytes() == want.tobytes(), name
                count += 1
        f.visititems(look)
    print(count)


if __name__ == "__main__":
    {"make": make, "bad": bad, "random": lambda folder, seed: random_file(folder, int(seed)),
     "compare": compare}[sys.argv[1]](*sys.argv[2:])
