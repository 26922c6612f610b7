# A thin front for CMake; see CMakePresets.json and scripts/.
PREFIX ?= /usr/local
export DESTDIR

all:
	@scripts/build release product

demo:
	@scripts/deps build
	@scripts/demo

test:
	@scripts/deps test
	@scripts/test

test-long:
	@scripts/deps test
	@scripts/test long

bench:
	@scripts/deps bench
	@scripts/build release bench
	@bench/run

# A quick look: a few minutes.
bench-quick: export ROUNDS = 1
bench-quick: export BENCH_BIG = 0
bench-quick: bench

study: all
	bench/study/study

accuracy: all
	@bench/accuracy

fuzz:
	@scripts/deps test
	@scripts/fuzz

# The pictures of docs/gallery.md, by the commands under them.
gallery: all
	@scripts/pages docs/gallery.md

# Whether the build does what another build, OLD, does.
compare: all
	@scripts/compare-builds "$(OLD)" build/release/tlu

# A wheel of the Python package that needs nothing but glibc and NumPy: build/wheel/*.whl.
wheel:
	@scripts/deps wheel
	@scripts/wheel

install: all
	@cmake --install build/release --prefix "$(PREFIX)"

format:
	@scripts/format

clean:
	rm -rf build

.PHONY: all demo test test-long bench bench-quick accuracy study fuzz gallery compare wheel install format clean
