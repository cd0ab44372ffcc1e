"""Writes nested_records_values.lua: structured arrays of NumPy with records and arrays as fields, as .npy files.

    python3 nested_records_values.py > nested_records_values.lua
"""
import io

import numpy

aligned_point = numpy.dtype([("x", "<f4"), ("y", "<f4")], align=True)
aligned = numpy.dtype([("pos", aligned_point), ("v", "<f8", (3,)), ("m", "<i2", (2, 2)), ("id", "<i4"), ("ok", "?")], align=True)
packed_point = numpy.dtype([("x", ">f4"), ("y", "<f4")])
packed = numpy.dtype([("pos", packed_point), ("v", ">f8", (3,)), ("m", ">i2", (2, 2)), ("id", ">i4"), ("ok", "?")])

rows = [((i + 0.5, -i), (i / 8, i * 2, i * 3), ((i, 1), (2, -i)), i * 7, i % 2 == 0) for i in range(3)]


def text(a):
    file = io.BytesIO()
    numpy.save(file, a)
    return file.getvalue().hex()


def lua(row):
    (x, y), v, m, number, ok = row
    lists = ", ".join(f"{{ {a}, {b} }}" for a, b in m)
    return (f"{{ pos = {{ x = {x}, y = {y} }}, v = {{ {v[0]}, {v[1]}, {v[2]} }}, m = {{ {lists} }}, id = {number}, "
            f"ok = {str(ok).lower()} }}")


print(f"-- Made by nested_records_values.py with NumPy {numpy.__version__}.")
print("return {")
print("    rows = {\n        " + ",\n        ".join(lua(row) for row in rows) + ",\n    },")
for name, dtype in (("aligned", aligned), ("packed", packed)):
    digits = text(numpy.array(rows, dtype))
    print(f"    {name} = " + "\n        .. ".join(f'"{digits[k:k + 100]}"' for k in range(0, len(digits), 100)) + ",")
print("}")
