"""Some results of the layer, which a spec compares: it works without the suite.  usage: python3 smoke.py"""
import lunarray_standard as xp

x = xp.asarray([[1, 2, 3], [4, 5, 6]], dtype=xp.int16)
y = xp.asarray([0.5, -1.5, 2.5])
print((x[:, ::-1] + 1).tolist(), (x[0, 1:] * 2).tolist(), x[x > 4].tolist(), xp.round(y).tolist())
y[1:] = 7
x[xp.asarray([1, -2]), 0] = 9
print(y.tolist(), x.tolist(), xp.sum(x, axis=0).dtype, xp.take_along_axis(x, xp.argsort(x)).tolist())
print(xp.unique_all(xp.asarray([3, 1, 3])).inverse_indices.tolist(), xp.linalg.det(xp.eye(2) * 3j).item())
print(xp.fft.rfft(xp.ones(4)).tolist(), xp.result_type(xp.int8, xp.uint8), xp.from_dlpack(y).shape, float(xp.mean(xp.zeros(0))))
