# CSV in other libraries: times reading and writing FILE with LIBRARY (pandas, pyarrow or polars), in a process of
# its own. Prints lines as csv.lua does; nothing where the library is missing.
import os
import sys
import time


def peak():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0


path, library = sys.argv[1:3]
name, megabytes = os.path.basename(path)[:-4], os.path.getsize(path) / 1e6
copy = path + ".copy.csv"
try:
    if library == "pandas":
        import pandas
        read, write = lambda: pandas.read_csv(path, engine="c"), lambda t: t.to_csv(copy, index=False)
    elif library == "pyarrow":
        import pyarrow.csv
        read, write = lambda: pyarrow.csv.read_csv(path), lambda t: pyarrow.csv.write_csv(t, copy)
    else:
        import polars
        read, write = lambda: polars.read_csv(path), lambda t: t.write_csv(copy)
except ImportError:
    sys.exit(0)
start = time.perf_counter()
t = read()
print(f"{name} {library} load {time.perf_counter() - start:.3f} {megabytes:.0f} {peak():.0f} 0")
start = time.perf_counter()
write(t)
print(f"{name} {library} save {time.perf_counter() - start:.3f} {megabytes:.0f} {peak():.0f} 0")
os.remove(copy)
