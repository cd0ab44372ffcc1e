"""DLPack: arrays from and for other libraries, through capsules of Python."""
import ctypes

from . import array as a
from . import engine as e

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
NAMES = {True: (b"dltensor_versioned", b"used_dltensor_versioned"), False: (b"dltensor", b"used_dltensor")}


def export(x, stream, max_version, dl_device, copy):
    if stream is not None:
        raise ValueError("there are no streams")
    if dl_device not in (None, (1, 0)):
        raise BufferError(f"no elements for device {dl_device}; they are in memory, (1, 0)")
    versioned = max_version is not None and max_version[0] >= 1
    if copy:
        x = a.make("lun_copy", x.handle)
    tensor = ctypes.c_void_p()
    e.do("lun_to_dlpack" if versioned else "lun_to_dlpack_plain", x.handle, ctypes.byref(tensor))
    return api.PyCapsule_New(tensor, NAMES[versioned][0], None)


def from_dlpack(x, /, *, device=None, copy=None):
    a.check_device(device)
    try:
        capsule = x.__dlpack__(max_version=(1, 0), copy=copy)
    except TypeError:
        capsule = x.__dlpack__()
    versioned = bool(api.PyCapsule_IsValid(capsule, NAMES[True][0]))
    name, used = NAMES[versioned]
    tensor = ctypes.c_void_p(api.PyCapsule_GetPointer(capsule, name))
    result = a.make("lun_from_dlpack" if versioned else "lun_from_dlpack_plain", tensor)
    api.PyCapsule_SetName(capsule, used)
    return result
