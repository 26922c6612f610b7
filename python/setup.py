"""Builds the package by the CMake project above it: the target tlu_python, with the libraries linked statically."""

import os
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)


def version():
    """The header is the one place that knows it."""
    with open(os.path.join(SOURCE, "include", "tlu.h"), encoding="utf-8") as file:
        return re.search(r'^#define TLU_VERSION "([^"]+)"', file.read(), re.M).group(1)


# What every Linux system has; the rest goes into a wheel that is to need nothing else (TLU_BUNDLE).
SYSTEM = ("linux-vdso.", "libc.so.", "libm.so.", "libpthread.so.", "libdl.so.", "librt.so.", "/lib", "ld-linux")


def bundle(module):
    """Copies the shared libraries that the module needs beside it: zlib, zstd, GMP (LGPL: a file of its own)."""
    lines = subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        name, arrow, rest = line.strip().partition(" => ")
        if arrow and not name.startswith(SYSTEM):
            shutil.copyfile(rest.split(" (")[0], os.path.join(os.path.dirname(module), name))


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        build = os.path.abspath(os.path.join(self.build_temp, "cmake"))
        os.makedirs(build, exist_ok=True)
        options = [
            "-DCMAKE_BUILD_TYPE=Release", "-DTLU_COMMAND=OFF", "-DTLU_TESTS=OFF", "-DBUILD_SHARED_LIBS=OFF",
            "-DTLU_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}",
        ]
        if os.environ.get("TLU_BUNDLE"):
            options.append("-DCMAKE_BUILD_RPATH=$ORIGIN")
        options += os.environ.get("TLU_CMAKE_OPTIONS", "").split()
        subprocess.run(["cmake", "-S", SOURCE, "-B", build, *options], check=True)
        jobs = str(self.parallel or os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", build, "--target", "tlu_python", "--parallel", jobs], check=True)
        target = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        built = os.path.join(build, "python", "tlu", os.path.basename(target))
        shutil.copyfile(built, target)
        if os.environ.get("TLU_BUNDLE"):
            bundle(target)


setup(
    name="tlu",
    version=version(),
    description="Linear classifiers of the perceptron family",
    license="MIT",
    python_requires=">=3.9",
    install_requires=["numpy"],
    packages=["tlu"],
    package_data={"tlu": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("tlu._tlu", [])],
    cmdclass={"build_ext": CMakeBuild},
)
