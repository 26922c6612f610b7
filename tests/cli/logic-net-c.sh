# Networks as C: compiled without a warning, the program says for every row what a plain
# implementation of the network says, and so does tlu logic eval.
. "$TLU_SOURCE/tests/prelude.sh"
need python3 cc
python3 - <<'PYTHON'
import shutil
from networks import *

WARNINGS = '-std=c11 -O2 -Wall -Wextra -Wconversion -pedantic -Werror -DNETWORK_MAIN'.split()
compilers = ['cc'] + ['clang'] * bool(shutil.which('clang'))
generator = random.Random(2)
rows = 0
for number, network in enumerate(networks()):
    runs = rows_for(network, generator)
    expected = answers(network, runs)
    rows += len(expected)
    with open('network.json', 'w') as file:
        json.dump(network.form, file)
    for language in 'json', 'text':  # what is written is the same network
        with open('again', 'w') as file:
            file.write(written(network, language))
        found = tlu('logic', 'eval', 'again', '-', stdin=as_text(runs)).split('\n')[:-1]
        equal(found, expected, f'tlu logic eval, network {number} as {language}')
    with open('network.c', 'w') as file:
        file.write(written(network, 'c'))
    for compiler in compilers:
        execute(compiler, *WARNINGS, 'network.c', '-o', 'program')
        found = execute('./program', stdin=as_text(runs)).split('\n')[:-1]
        equal(found, expected, f'{compiler}, network {number}')
    execute('cc', '-std=gnu11', '-Wall', '-fsyntax-only', 'network.c')  # with macros such as linux
if rows < 1500:
    complain(f'only {rows} rows were looked at')
PYTHON
