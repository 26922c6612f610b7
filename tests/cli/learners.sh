# tlu learners prints for people what it prints as JSON.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import re
from prelude import *

text = tlu('learners')
for learner in parsed(tlu('learners', '--json'), 'learners'):
    block = re.search(rf'^{learner["name"]}$(.*?)(^$|\Z)', text, re.M | re.S)
    words = block.group(1).split() if block else []
    for key in ('options', 'defaults', 'decisions', 'spaces', 'schemes'):
        if set(learner[key]) - set(words):
            complain(f'tlu learners: {learner["name"]} lacks {key} {learner[key]}')
    if set((learner['summary'] + ' ' + learner['reference']).split()) - set(words):
        complain(f'tlu learners: {learner["name"]} lacks its summary or reference')
PYTHON
