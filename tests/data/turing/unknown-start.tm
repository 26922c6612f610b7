a 0 1 R halt
start b
