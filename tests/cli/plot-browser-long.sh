# Pictures in a browser: Chromium plays the animation, frame by frame as it is read here, and shows the
# SVG as the PNG has it. Skipped where there is no Chromium.
. "$TLU_SOURCE/tests/prelude.sh"
need python3 chromium
"$TLU" --version | grep -q ' cairo.* giflib' || {
    echo "skipped: without cairo and giflib there are no pictures"
    exit 77
}
"$TLU" plot --run "$TLU_SOURCE/examples/data/weather.csv" -o run.gif --quiet || complain "run.gif: $?"
"$TLU" plot "$TLU_SOURCE/examples/data/iris.csv" --size 700x460 -o iris.svg --quiet || complain "iris.svg: $?"
"$TLU" plot "$TLU_SOURCE/examples/data/iris.csv" --size 700x460 -o iris.png --quiet || complain "iris.png: $?"
exec python3 - <<'PYTHON'
import base64
import http.server
import re
import threading
import time
from pictures import Gif, Png
from prelude import *

# A page has loaded when the slow part of it has come: until then, scripts run.
PAGE = '''<pre id="said">nothing</pre><img src="/slow" hidden><script>
(async () => {
    const bytes = Uint8Array.from(atob("%s"), c => c.charCodeAt(0));
    const decoder = new ImageDecoder({data: bytes, type: "image/gif"});
    await decoder.tracks.ready;
    await decoder.completed;
    const track = decoder.tracks.selectedTrack;
    let said = "frames " + track.frameCount + " times " + track.repetitionCount;
    for (const i of [%s]) {
        const image = (await decoder.decode({frameIndex: i})).image;
        const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        let sum = 0;
        for (const byte of context.getImageData(0, 0, canvas.width, canvas.height).data)
            sum = (31 * sum + byte) %% 1000003;
        said += "; " + i + " " + image.duration / 10000 + " " + sum;
    }
    document.getElementById("said").textContent = said;
})();
</script>'''
FLAGS = ('--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking '
         '--disable-component-update --disable-sync --hide-scrollbars --user-data-dir=browser').split()


class Server(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path == '/slow':
            time.sleep(10)
        super().do_GET()

    def log_message(self, *words):
        pass


def browse(*words):
    return subprocess.run(['chromium', *FLAGS, *words], capture_output=True, text=True, timeout=120).stdout


gif = Gif('run.gif')
numbers = sorted({0, 1, len(gif.frames) // 2, len(gif.frames) - 1})
expected = f'frames {len(gif.frames)} times Infinity'
for number in numbers:
    frame, total = gif.frames[number], 0
    for index in frame.data:
        for byte in (*frame.palette[index], 255):
            total = (31 * total + byte) % 1000003
    expected += f'; {number} {frame.delay} {total}'
with open('page.html', 'w') as page:
    page.write(PAGE % (base64.b64encode(open('run.gif', 'rb').read()).decode(), ', '.join(map(str, numbers))))
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
dumped = browse('--dump-dom', f'http://127.0.0.1:{server.server_port}/page.html')
said = re.search(r'<pre id="said">([^<]*)', dumped)
equal(said and said[1], expected, 'the animation in a browser')

browse('--window-size=700,460', '--screenshot=shown.png', f'http://127.0.0.1:{server.server_port}/iris.svg')
drawn, shown = Png('iris.png'), Png('shown.png')
equal((shown.width, shown.height), (drawn.width, drawn.height), 'size of the SVG')
other = sum(max(abs(a - b) for a, b in zip(drawn.pixel(x, y), shown.pixel(x, y))) > 100
            for y in range(drawn.height) for x in range(drawn.width))
if other > 0.003 * drawn.width * drawn.height:  # edges of letters
    complain(f'{other} pixels of the SVG are not as those of the PNG')
PYTHON
