# Networks as Verilog: simulated by Icarus Verilog, the module says for every row, step by step if
# it has delays, what a plain implementation of the network says.
. "$TLU_SOURCE/tests/prelude.sh"
need python3 iverilog vvp
python3 - <<'PYTHON'
from networks import *

BENCH = '''
module bench;
    reg [0:%(inputs)d] row;
    reg [0:%(inputs)d] rows [0:%(rows)d];
    wire [0:%(outputs)d] out;
    reg clk = 0, reset = 0;
    integer k;
    network dut (%(ports)s);
    initial begin
        $readmemb("rows.txt", rows);
        for (k = 0; k <= %(rows)d; k = k + 1) begin
            row = rows[k];
            if (k == %(again)d) begin
                reset = 1; #1 clk = 1; #1 clk = 0; reset = 0;
            end
            #1 $display("%%b", out);
            clk = 1; #1 clk = 0;
        end
    end
endmodule
'''

generator = random.Random(3)
rows = 0
for number, network in enumerate(networks()):
    runs = rows_for(network, generator)
    expected = answers(network, runs)
    rows += len(expected)
    inputs, outputs = len(network.inputs), len(network.form['outputs'])
    ports = ['clk', 'reset'] if network.delays else []
    wires = [f'row[{i}]' for i in range(inputs)]
    # Many inputs are one port, whose first wire has the number 0.
    ports += ['{' + ', '.join(reversed(wires)) + '}'] if inputs > 64 else wires
    ports += [f'out[{i}]' for i in range(outputs)]
    with open('network.v', 'w') as file:
        file.write(written(network, 'verilog'))
    with open('bench.v', 'w') as file:
        file.write(BENCH % {'inputs': max(inputs, 1) - 1, 'outputs': outputs - 1, 'rows': len(expected) - 1,
                            'again': len(runs[0]), 'ports': ', '.join(ports)})
    with open('rows.txt', 'w') as file:
        file.write(''.join((''.join(map(str, bits)) or '0') + '\n' for run_of_rows in runs for bits in run_of_rows))
    execute('iverilog', '-g2001', '-Wall', '-Wno-timescale', '-s', 'bench', '-o', 'bench', 'network.v', 'bench.v')
    found = execute('vvp', '-n', 'bench').split('\n')[:-1]
    equal(found, expected, f'network {number}')
if rows < 1500:
    complain(f'only {rows} rows were looked at')
PYTHON
