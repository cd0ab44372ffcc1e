"""What bench/programs.lua times, in numpy, as far as that is usual: n-body and k-means.
usage: programs.py"""
import numpy as np

from peer import run


def uniform(n, root):
    return np.arange(1, n + 1) * np.sqrt(float(root)) % 1.0


def nbody(n=2000, steps=20, dt=1e-6):
    x, y, z = uniform(n, 2), uniform(n, 3), uniform(n, 5)
    vx, vy, vz = np.zeros(n), np.zeros(n), np.zeros(n)
    for _ in range(steps):
        dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
        near = 1 / np.sqrt(dx * dx + dy * dy + dz * dz + 0.0025)
        pull = near * near * near
        vx += dt * (pull * dx).sum(1)
        vy += dt * (pull * dy).sum(1)
        vz += dt * (pull * dz).sum(1)
        x, y, z = x + dt * vx, y + dt * vy, z + dt * vz
    return x.sum()


def kmeans(points, k=16, rounds=5):
    centres = points[:k]
    for _ in range(rounds):
        which = ((centres * centres).sum(1) - 2 * points @ centres.T).argmin(1)
        count = np.maximum(np.bincount(which, minlength=k), 1)
        sums = [np.bincount(which, weights=points[:, axis], minlength=k) / count for axis in range(3)]
        centres = np.stack(sums, 1).astype(np.float32)
    return (centres.astype(float) ** 2).sum()


POINTS = np.stack([uniform(1 << 20, root) for root in (2, 3, 5)], 1).astype(np.float32)
print(f"check nbody numpy {nbody():.17g}")
print(f"check kmeans numpy {kmeans(POINTS):.17g}")
run("nbody", nbody)
run("kmeans", lambda: kmeans(POINTS))
