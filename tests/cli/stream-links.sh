# Only one stream at a time learns from a model, under whatever name, and no save replaces a model
# that is not the stream's: symbolic links, hard links, models that are replaced, renamed or
# removed.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
need python3
python3 - <<'PYTHON'
import shutil
import signal
from prelude import *

ROWS = ['+1 1:1 3:0.5', '-1 2:1', '+1 1:2', '-1 2:0.5 3:1', '-1 3:2', '+1 1:1 2:0.5']


class Stream:
    """A learner that answers one row after the other."""

    def __init__(self, model, *options):
        self.process = subprocess.Popen(
            [TLU, 'stream', model, *(options or ['--journal']), '--quiet', '--checkpoint', '0'], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, *rows):
        """The number of answers."""
        count = 0
        for row in rows:
            try:
                self.process.stdin.write(row + '\n')
            except BrokenPipeError:
                pass
            count += self.process.stdout.readline() != ''
        return count

    def end(self):
        message = self.process.communicate()[1]
        return self.process.returncode, message

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.end()


def learned(model):
    """Rows that the model and its journal have."""
    done = run('stream', model, '--journal', '--json', stdin='')
    return json.loads(done.stderr.splitlines()[0])['learned'] if done.returncode == 0 else done.stderr


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else -1


def fresh(rows=ROWS[:2]):
    """A folder with a model m.tlu that has learned from these rows."""
    os.chdir(HOME)
    shutil.rmtree('work', ignore_errors=True)
    os.mkdir('work')
    os.chdir('work')
    tlu('stream', 'm.tlu', '--quiet', stdin='\n'.join(rows) + '\n')


def ends(stream, code, part, what):
    found, message = stream.end()
    if found != code or part not in message:
        complain(f'{what}: exit code {found}: {message}')


def content(path):
    with open(path, 'rb') as file:
        return file.read()


HOME = os.getcwd()

# ---- a link and what it leads to have one journal, and one stream at a time

for first, second in (('link.tlu', 'm.tlu'), ('m.tlu', 'link.tlu'), ('link.tlu', 'far/link.tlu')):
    for how in ('--journal', '--skip-bad'):  # the second with a journal or without
        fresh()
        os.mkdir('far')
        os.symlink('m.tlu', 'link.tlu')
        os.symlink('../link.tlu', 'far/link.tlu')
        one = Stream(first)
        equal(one.ask(*ROWS[:3]), 3, f'answers by {first}')
        two = Stream(second, how)
        two.ask(ROWS[3])
        ends(two, 2, 'in use by another process', f'{second} beside {first}')
        one.kill()
        equal(size('m.tlu.journal') > 8, True, 'rows in the journal of the file')
        equal(os.path.exists('link.tlu.journal'), False, 'a journal of the link')
        equal(learned(second), 5, f'rows by {second} after {first}')
        equal(os.path.islink('link.tlu'), True, 'the link stays')

# ---- links that lead nowhere, to another folder, in a circle

fresh()
os.mkdir('there')
os.symlink('there/new.tlu', 'new.tlu')
one = Stream('new.tlu')
equal(one.ask(*ROWS[:2]), 2, 'answers by a link to nothing')
two = Stream('there/new.tlu')
two.ask(ROWS[0])
ends(two, 2, 'in use by another process', 'there/new.tlu beside new.tlu')
one.kill()
equal(learned('there/new.tlu'), 2, 'rows by a link to nothing')
os.symlink('b.tlu', 'a.tlu')
os.symlink('a.tlu', 'b.tlu')
refused('a.tlu: cannot be read: Too many levels', 'stream', 'a.tlu', '--journal', stdin='')

# ---- a journal that an earlier version left beside the link

fresh()
one = Stream('m.tlu')
one.ask(*ROWS[:3])
one.kill()
os.rename('m.tlu.journal', 'link.tlu.journal')
os.symlink('m.tlu', 'link.tlu')
refused('rename it to m.tlu.journal', 'stream', 'link.tlu', '--journal', stdin='')
os.rename('link.tlu.journal', 'm.tlu.journal')
equal(learned('link.tlu'), 5, 'rows of a journal that was renamed')

# ---- hard links: one stream at a time while both names are one file; a backup blocks no stream

fresh()
os.link('m.tlu', 'hard.tlu')
before = content('m.tlu')
one = Stream('m.tlu')
equal(one.ask(*ROWS[:3]), 3, 'answers by a model with two names')
for how in ('--journal', '--skip-bad'):
    two = Stream('hard.tlu', how)
    two.ask(ROWS[3])
    ends(two, 2, 'in use by another process', 'hard.tlu beside m.tlu')
equal(os.path.exists('hard.tlu.journal'), False, 'a journal of the second name')
ends(one, 0, '', 'a model with two names')
equal(learned('m.tlu'), 5, 'rows of a model with two names')
equal(content('hard.tlu'), before, 'the second name keeps the old model')
os.link('m.tlu', 'again.tlu')
done = run('stream', 'm.tlu', '--journal', stdin=ROWS[0] + '\n')
if done.returncode or 'm.tlu has another name' not in done.stderr:
    complain(f'a model with two names: {done.returncode}: {done.stderr}')

# ---- a model that is replaced, in its place or by another file, renamed or removed while it learns


def replaced_in_place():
    shutil.copyfile('other.tlu', 'm.tlu')


def replaced():
    shutil.copyfile('other.tlu', 'copy.tlu')
    os.rename('copy.tlu', 'm.tlu')


for change in (replaced_in_place, replaced):
    for rows in (ROWS[:2], ROWS[1:3], ROWS[1:] * 3):  # as many rows as the model has, and more
        fresh()
        tlu('stream', 'other.tlu', '--quiet', stdin='\n'.join(rows) + '\n-1 9:1\n')
        shutil.copyfile('m.tlu', 'base.tlu')
        one = Stream('m.tlu')
        one.ask(*ROWS[:3])
        change()
        ends(one, 3, 'm.tlu was replaced', f'{change.__name__} while it learns')
        equal(content('m.tlu'), content('other.tlu'), 'the other model stays')
        refused('another model', 'stream', 'm.tlu', '--journal', stdin='')
        shutil.copyfile('base.tlu', 'm.tlu')
        equal(learned('m.tlu'), 5, 'rows after the model was put back')

fresh()
one = Stream('m.tlu')
one.ask(*ROWS[:3])
os.rename('m.tlu', 'moved.tlu')
ends(one, 3, 'm.tlu was renamed', 'a model that was renamed')
equal(os.path.exists('m.tlu'), False, 'a model that was renamed')
refused('another model', 'stream', 'm.tlu', '--journal', stdin='')
os.rename('moved.tlu', 'm.tlu')
equal(learned('m.tlu'), 5, 'rows after the model was renamed back')

fresh()
one = Stream('m.tlu')
one.ask(*ROWS[:3])
os.remove('m.tlu')  # nothing but the process has it then
ends(one, 0, '', 'a model that was removed')
equal(learned('m.tlu'), 5, 'rows after the model was removed')

# A model that comes while a new one is learned.
fresh()
one = Stream('new.tlu')
one.ask(*ROWS[:3])
shutil.copyfile('m.tlu', 'new.tlu')
ends(one, 3, 'new.tlu was replaced', 'a model that came')
os.remove('new.tlu')
equal(learned('new.tlu'), 3, 'rows after the model that came was removed')

# Without a journal another model is not overwritten either.
fresh()
tlu('stream', 'other.tlu', '--quiet', stdin='\n'.join(ROWS) + '\n')
one = Stream('m.tlu', '--skip-bad')
one.ask(*ROWS[:3])
replaced()
ends(one, 3, 'm.tlu was replaced', 'replaced, without a journal')
equal(content('m.tlu'), content('other.tlu'), 'the other model stays')

# ---- killed, and then replaced by a model that has as many rows as model and journal together

for rows in range(1, 8):
    fresh()
    one = Stream('m.tlu')
    one.ask(*ROWS[:3])
    one.kill()
    shutil.copyfile('m.tlu', 'base.tlu')
    tlu('stream', 'other.tlu', '--quiet', stdin='-1 7:1\n+1 8:1\n' * 2 + '+1 7:0.5\n' * (rows - 3) if rows > 3 else
        '-1 7:1\n+1 8:1\n' + '+1 7:0.5\n' * (rows - 2))
    shutil.copyfile('other.tlu', 'm.tlu')
    refused('another model', 'stream', 'm.tlu', '--journal', stdin='')
    shutil.copyfile('base.tlu', 'm.tlu')
    equal(learned('m.tlu'), 5, f'rows after a model of {rows} rows was there')

# ---- the journal names its models as src/stream/journal/journal.h and model_file.h say


def model(path):
    """Size and hash, worked out again."""
    data, value = content(path), 0xCBF29CE484222325
    for at in range(0, len(data), 8):
        value = (value ^ int.from_bytes(data[at:at + 8], 'little')) * 0x9E3779B97F4A7C15 % 2**64
        value ^= value >> 32
    return len(data), value


def models(journal):
    """Kinds of records and their models."""
    data, at, found = content(journal), 8, []
    equal(data[:8], b'TLUJRNL4', 'the magic')
    while at < len(data):
        kind, length = data[at + 1:at + 4], int.from_bytes(data[at + 4:at + 8], 'little')
        body = data[at + 24:at + 24 + length]
        if kind in (b'MDL', b'SAV'):
            found.append((kind, (int.from_bytes(body[:8], 'little'), int.from_bytes(body[8:16], 'little'))))
        at += 24 + length
    return found


for rows in ([], ROWS[:2], ROWS):
    fresh()
    if rows:
        tlu('stream', 'new.tlu', '--quiet', stdin='\n'.join(rows) + '\n')
    base = model('new.tlu') if rows else (0, 0)
    one = Stream('new.tlu')
    one.ask(*ROWS[:3])
    one.kill()
    equal(models('new.tlu.journal'), [(b'MDL', base)], 'the model that the rows continue')
    if os.environ.get('TLU_SHIM'):  # killed when the new model is there and the journal is to be emptied
        environment = dict(os.environ, LD_PRELOAD=os.environ['TLU_SHIM'], FAIL_CALL='ftruncate', FAIL_HOW='kill',
                           FAIL_AT='1', ASAN_OPTIONS='verify_asan_link_order=0')
        done = subprocess.run([TLU, 'stream', 'new.tlu', '--journal'], env=environment, input=b'', capture_output=True)
        equal(done.returncode, -9, 'killed before the journal is empty')
        equal(models('new.tlu.journal'), [(b'MDL', base), (b'SAV', model('new.tlu'))], 'the model that is saved')
    equal(learned('new.tlu'), 3 + len(rows), 'rows, each once')
    equal(size('new.tlu.journal'), 8, 'the journal is empty')

# ---- --log does not write into the journal of what a link leads to

fresh()
os.symlink('m.tlu', 'link.tlu')
refused('would write into the model or its journal', 'stream', 'link.tlu', '--journal', '--log', 'm.tlu.journal', stdin='')

# The link may lead to a file that is not there yet: no row is answered after the bytes of the log.
fresh()
os.symlink('not-yet.tlu', 'link.tlu')
done = run('stream', 'link.tlu', '--journal', '--log', 'not-yet.tlu.journal', stdin='\n'.join(ROWS) + '\n')
equal((done.returncode, done.stdout), (3, ''), 'a log in the journal')
equal('another program writes into the journal' in done.stderr, True, done.stderr)
PYTHON
